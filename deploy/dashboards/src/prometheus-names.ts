import { METRICS, type MetricName } from '@sluice/service';

/** Labels that Prometheus and its histograms add to the attributes of a metric. */
const ADDED_LABELS = ['instance', 'job', 'le'] as const;
export type AddedLabel = (typeof ADDED_LABELS)[number];

export type HistogramPart = 'bucket' | 'count' | 'sum';

/** The names that a series of a metric may have in Prometheus. */
export interface PrometheusSpelling {
  /** The name if Prometheus scrapes the process. */
  readonly scraped: string;
  /** The name if the metric arrives by OTLP: a collector, or Prometheus itself, adds the unit. */
  readonly pushed: string;
}

/** The words for units that are added to names. Units in braces, such as `{request}`, are not added. */
const UNIT_WORDS: Readonly<Record<string, string>> = { s: 'seconds' };

type Description = Pick<(typeof METRICS)[MetricName], 'kind' | 'unit'>;

/** `part` is required for a histogram, which has several series. */
export function prometheusSpelling(name: MetricName, part?: HistogramPart): PrometheusSpelling {
  return spell(name, METRICS[name], part);
}

/** Every possible series, with its labels. */
export function everySeries(): ReadonlyMap<string, readonly string[]> {
  const series = new Map<string, readonly string[]>();
  for (const [name, description] of Object.entries(METRICS)) {
    for (const part of partsOf(description)) {
      const added = ADDED_LABELS.filter((label) => label !== 'le' || part === 'bucket');
      const labels = [...description.attributes, ...added];
      const { scraped, pushed } = spell(name, description, part);
      for (const spelled of [scraped, pushed]) series.set(spelled, labels);
    }
  }
  return series;
}

function partsOf({ kind }: Description): readonly (HistogramPart | undefined)[] {
  return kind === 'histogram' ? ['bucket', 'count', 'sum'] : [undefined];
}

function spell(
  name: string,
  { kind, unit }: Description,
  part: HistogramPart | undefined,
): PrometheusSpelling {
  const stem = name.replaceAll('.', '_');
  const word = kind === 'gauge' && unit === '1' ? 'ratio' : UNIT_WORDS[unit];
  const isAdded = word !== undefined && !stem.split('_').includes(word);
  const ending = endingOf(kind, part);
  return { scraped: stem + ending, pushed: (isAdded ? `${stem}_${word}` : stem) + ending };
}

function endingOf(kind: Description['kind'], part: HistogramPart | undefined): string {
  if (kind !== 'histogram') return kind === 'gauge' ? '' : '_total';
  if (part === undefined) throw new Error('a histogram has no series without a part');
  return `_${part}`;
}
