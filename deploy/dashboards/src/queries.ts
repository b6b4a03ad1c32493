import type { HistogramName, METRICS, MetricName, ObservedName } from '@sluice/telemetry';
import { prometheusSpelling, type AddedLabel, type HistogramPart } from './prometheus-names.ts';

type MetricsOfKind<Kind extends string> = {
  [Name in MetricName]: (typeof METRICS)[Name]['kind'] extends Kind ? Name : never;
}[MetricName];
type GrowingName = MetricsOfKind<'counter' | 'observed counter'>;
type GaugeName = Extract<ObservedName, MetricsOfKind<'gauge'>>;
type Attribute<Name extends MetricName> = (typeof METRICS)[Name]['attributes'][number];

/** Which series of a metric are meant, and what is still told apart after they were put together. */
export interface Choice<Name extends MetricName> {
  readonly by?: readonly (Attribute<Name> | Exclude<AddedLabel, 'le'>)[];
  readonly where?: Readonly<Partial<Record<Attribute<Name>, string>>>;
}

/** The dashboard chooses it to fit what is scraped how often, and how much of it is shown. */
const WINDOW = '$__rate_interval';
/** All the time that the dashboard shows. */
const SHOWN = '$__range';

export const is = (value: string): string => `="${value}"`;
export const isNot = (value: string): string => `!="${value}"`;
/** One or several of what the reader of the dashboard chose. */
export const isChosen = (variable: string): string => `=~"$${variable}"`;

/** By how much a counter grows in a second. */
export function perSecond<Name extends GrowingName>(name: Name, choice: Choice<Name> = {}): string {
  return gather('sum', choice.by, `rate(${selector(name, choice.where)}[${WINDOW}])`);
}

/**
 * The same of what grew in the time that is shown. Of what may go wrong most stays at 0, and a legend of that, for each
 * model, would hide the rest.
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

/** The value that this share of all measurements stayed below. */
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

/** For what several processes say of the same: the one that sees least is the one to look at. */
export function leastOf<Name extends GaugeName>(name: Name, choice: Choice<Name> = {}): string {
  return gather('min', choice.by, selector(name, choice.where));
}

/** The same of a group that has the most of it. */
export function mostOf<Name extends GaugeName>(name: Name, choice: Choice<Name> = {}): string {
  return gather('max', choice.by, selector(name, choice.where));
}

export function shareOf(part: string, whole: string): string {
  return `${part} / ${whole}`;
}

/** Selects series whichever way they came: some names differ between a page of metrics and OTLP. */
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
