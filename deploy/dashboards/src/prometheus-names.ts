import { METRICS, type MetricName } from '@sluice/telemetry';

/** What Prometheus and its histograms add to whatever a metric is told apart by. */
const ADDED_LABELS = ['instance', 'job', 'le'] as const;
export type AddedLabel = (typeof ADDED_LABELS)[number];

export type HistogramPart = 'bucket' | 'count' | 'sum';

/** Every name that a series of the metric may have in Prometheus. */
export interface PrometheusSpelling {
  /** As a page of metrics spells it that Prometheus reads from a process. */
  readonly scraped: string;
  /** As collectors, and Prometheus itself, spell it when it comes by OTLP: the unit is added. */
  readonly pushed: string;
}

/** Words for units that are added to names; what stands in braces is only for people and is not. */
const UNIT_WORDS: Readonly<Record<string, string>> = { s: 'seconds' };

type Description = Pick<(typeof METRICS)[MetricName], 'kind' | 'unit'>;

/** A histogram has several series: which of them must be said. */
export function prometheusSpelling(name: MetricName, part?: HistogramPart): PrometheusSpelling {
  return spell(name, METRICS[name], part);
}

/** Every series that there can be, with the labels that it has. */
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
