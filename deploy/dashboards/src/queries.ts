import type { HistogramName, METRICS, MetricName, ObservedName } from '@sluice/service';
import { prometheusSpelling, type AddedLabel, type HistogramPart } from './prometheus-names.ts';

type MetricsOfKind<Kind extends string> = {
  [Name in MetricName]: (typeof METRICS)[Name]['kind'] extends Kind ? Name : never;
}[MetricName];
type GrowingName = MetricsOfKind<'counter' | 'observed counter'>;
type GaugeName = Extract<ObservedName, MetricsOfKind<'gauge'>>;
type Attribute<Name extends MetricName> = (typeof METRICS)[Name]['attributes'][number];

/** `where` selects series of a metric; `by` names the labels that remain after aggregation. */
export interface Choice<Name extends MetricName> {
  readonly by?: readonly (Attribute<Name> | Exclude<AddedLabel, 'le'>)[];
  readonly where?: Readonly<Partial<Record<Attribute<Name>, string>>>;
}

/** Grafana computes it from the scrape interval and the displayed time range. */
const WINDOW = '$__rate_interval';
/** The whole time range that the dashboard shows. */
const SHOWN = '$__range';

export const is = (value: string): string => `="${value}"`;
export const isNot = (value: string): string => `!="${value}"`;
/** Matches the values that the user of the dashboard has chosen for a variable. */
export const isChosen = (variable: string): string => `=~"$${variable}"`;

/** The rate of a counter per second. */
export function perSecond<Name extends GrowingName>(name: Name, choice: Choice<Name> = {}): string {
  return gather('sum', choice.by, `rate(${selector(name, choice.where)}[${WINDOW}])`);
}

/**
 * The rate per second of the series that grew in the displayed time range. Most counters of failures stay at 0. A
 * legend with an entry for each model would hide the few series that are not 0.
 */
export function perSecondIfAny<Name extends GrowingName>(
  name: Name,
  choice: Choice<Name> = {},
): string {
  const grown = gather(
    'sum',
    choice.by,
    `increase(${selector(name, choice.where)}[${SHOWN}] @ end())`,
  );
  return `${perSecond(name, choice)} and ${grown} > 0`;
}

/** The quantile of a histogram: this share of all measurements is below it. */
export function quantile<Name extends HistogramName>(
  share: number,
  name: Name,
  choice: Choice<Name> = {},
): string {
  const buckets = `rate(${selector(name, choice.where, 'bucket')}[${WINDOW}])`;
  return `histogram_quantile(${share}, ${gather('sum', ['le', ...(choice.by ?? [])], buckets)})`;
}

export function sumOf<Name extends GaugeName>(name: Name, choice: Choice<Name> = {}): string {
  return gather('sum', choice.by, selector(name, choice.where));
}

/** For a gauge that several processes report about one thing. The lowest value shows the process with a problem. */
export function leastOf<Name extends GaugeName>(name: Name, choice: Choice<Name> = {}): string {
  return gather('min', choice.by, selector(name, choice.where));
}

/** The highest value of a group. */
export function mostOf<Name extends GaugeName>(name: Name, choice: Choice<Name> = {}): string {
  return gather('max', choice.by, selector(name, choice.where));
}

export function shareOf(part: string, whole: string): string {
  return `${part} / ${whole}`;
}

/** Selects series both of scraped metrics and of OTLP, because some names differ between the two. */
function selector(
  name: MetricName,
  where: Readonly<Record<string, string | undefined>> = {},
  part?: HistogramPart,
): string {
  const { scraped, pushed } = prometheusSpelling(name, part);
  const matchers = Object.entries(where).map(([label, matcher]) => `${label}${matcher ?? '=""'}`);
  if (scraped !== pushed) matchers.unshift(`__name__=~"${scraped}|${pushed}"`);
  const labels = matchers.length === 0 ? '' : `{${matchers.join(', ')}}`;
  return scraped === pushed ? scraped + labels : labels;
}

function gather(how: 'max' | 'min' | 'sum', by: readonly string[] = [], inner: string): string {
  return by.length === 0 ? `${how}(${inner})` : `${how} by (${by.join(', ')}) (${inner})`;
}
