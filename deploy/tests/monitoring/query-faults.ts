import { everySeries } from '../../dashboards/src/prometheus-names.ts';

const SERIES = everySeries();

/** The words of PromQL that the queries use. Every other word counts as an unknown metric. */
const KNOWN_WORDS = new Set([
  'absent',
  'and',
  'clamp_max',
  'end',
  'histogram_quantile',
  'increase',
  'label_replace',
  'last_over_time',
  'max',
  'min',
  'or',
  'rate',
  'sum',
]);
const GROUPING_OR_SELECTOR =
  /\b(?:by|on) \((?<grouping>[^)]*)\)|(?<name>sluice_\w+)?\{(?<matchers>[^}]*)\}|(?<bare>sluice_\w+)/g;
const MATCHER = /(?<label>\w+)(?:=~|!=|!~|=)"(?<value>[^"]*)"/g;
/** The label that matches the name of a metric, for queries with several names. */
const NAME_LABEL = '__name__';
const DURATIONS_AND_TEXTS = /\[[^\]]*\]|"[^"]*"/g;

/** The faults of a query: unknown metrics, and labels that a metric does not have. */
export function queryFaults(query: string): string[] {
  const selectors = selectorsIn(query);
  return [
    ...selectors.flatMap(selectorFaults),
    ...(selectors.length === 0 ? ['it reads no metric'] : []),
    ...unknownWords(query),
  ];
}

interface Selector {
  /** A selector may match several names of a metric. */
  readonly names: readonly string[];
  /** The labels in the matchers, and those of the groupings before the selector. */
  readonly labels: readonly string[];
}

function selectorsIn(query: string): Selector[] {
  const selectors: Selector[] = [];
  let grouped: string[] = [];
  for (const { groups = {} } of query.matchAll(GROUPING_OR_SELECTOR)) {
    const { grouping, name, matchers = '', bare } = groups;
    if (grouping !== undefined) {
      grouped.push(...grouping.split(',').map((label) => label.trim()));
      continue;
    }
    const matched = Array.from(matchers.matchAll(MATCHER), (match) => match.groups ?? {});
    const alternatives = matched.find(({ label }) => label === NAME_LABEL)?.['value'];
    const labels = matched.map(({ label = '' }) => label).filter((label) => label !== NAME_LABEL);
    selectors.push({
      names: alternatives?.split('|') ?? [name ?? bare ?? ''],
      labels: [...grouped, ...labels],
    });
    grouped = [];
  }
  return selectors;
}

function selectorFaults({ names, labels }: Selector): string[] {
  return names.flatMap((name) => {
    const known = SERIES.get(name);
    if (known === undefined) return [`there is no ${name === '' ? 'name' : name}`];
    return labels
      .filter((label) => !known.includes(label))
      .map((label) => `${name} has no ${label}`);
  });
}

function unknownWords(query: string): string[] {
  const rest = query.replaceAll(GROUPING_OR_SELECTOR, ' ').replaceAll(DURATIONS_AND_TEXTS, ' ');
  const words = rest.match(/[A-Za-z_]\w*/g) ?? [];
  return words.filter((word) => !KNOWN_WORDS.has(word)).map((word) => `${word} is unknown`);
}
