import type { RouteReply } from '../../../src/api/routes.ts';
import type { ChartSeries } from '../components/chart.tsx';

type Usage = RouteReply<'getUsage'>;
type Sums = Usage['total'];

export const METRICS = ['requests', 'input', 'output', 'cached', 'reasoning', 'spend'] as const;
export type Metric = (typeof METRICS)[number];

export function valueOf(sums: Sums, metric: Metric): number {
  switch (metric) {
    case 'requests':
      return sums.requests;
    case 'input':
      return sums.input_tokens;
    case 'output':
      return sums.output_tokens;
    case 'cached':
      return sums.cached_tokens;
    case 'reasoning':
      return sums.reasoning_tokens;
    case 'spend':
      return Number(sums.spend ?? 0);
  }
}

/** The chart has this many colours. */
const maxSeries = 6;

/**
 * One series for each name of the second dimension, the largest first. If there are more than the chart has colours,
 * the smallest are added up as the last series.
 */
export function seriesOf(
  groups: Usage['groups'],
  starts: readonly number[],
  metric: Metric,
  names: { readonly total: string; readonly others: string },
): ChartSeries[] {
  const places = new Map(starts.map((start, index) => [start, index]));
  const series = new Map<string, ChartSeries & { readonly values: number[] }>();
  for (const { names: group, labels, sums } of groups) {
    const place = places.get(Date.parse(group[0] ?? ''));
    if (place === undefined) continue;
    const id = group[1] ?? '';
    let line = series.get(id);
    if (line === undefined) {
      const name = group.length < 2 ? names.total : (labels[1] ?? id);
      line = { id, name, values: starts.map(() => 0) };
      series.set(id, line);
    }
    line.values[place] = (line.values[place] ?? 0) + valueOf(sums, metric);
  }
  const sum = ({ values }: ChartSeries): number =>
    values.reduce((total, value) => total + value, 0);
  const sorted = [...series.values()].toSorted((one, other) => sum(other) - sum(one));
  if (sorted.length <= maxSeries) return sorted;
  const rest = sorted.slice(maxSeries - 1);
  const values = starts.map((_, place) =>
    rest.reduce((total, line) => total + (line.values[place] ?? 0), 0),
  );
  return [...sorted.slice(0, maxSeries - 1), { id: 'others', name: names.others, values }];
}
