import { everySeries } from './prometheus-names.ts';

const SERIES = everySeries();

/** Of PromQL, what our queries use; whatever else stands there is taken for a metric that is not ours. */
const KNOWN_WORDS = new Set([
  'absent',
  'and',
  'end',
  'histogram_quantile',
  'increase',
  'label_replace',
  'max',
  'min',
  'or',
  'rate',
  'sum',
]);
const GROUPING_OR_SELECTOR =
  /\b(?:by|on) \((?<grouping>[^)]*)\)|(?<name>sluice_\w+)?\{(?<matchers>[^}]*)\}|(?<bare>sluice_\w+)/g;
const MATCHER = /(?<label>\w+)(?:=~|!=|!~|=)"(?<value>[^"]*)"/g;
/** Stands for the name itself, where there are several. */
const NAME_LABEL = '__name__';
const DURATIONS_AND_TEXTS = /\[[^\]]*\]|"[^"]*"/g;

/** What is wrong with a query: metrics that are not ours, and labels that they do not have. */
export function queryFaults(query: string): string[] {
  const selectors = selectorsIn(query);
  return [
    ...selectors.flatMap(selectorFaults),
    ...(selectors.length === 0 ? ['it asks for no metric'] : []),
    ...strangeWords(query),
  ];
}

interface Selector {
  /** A metric may be asked for by several names. */
  readonly names: readonly string[];
  /** Those that it matches, and those of the groupings that stand before it. */
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

function strangeWords(query: string): string[] {
  const rest = query.replaceAll(GROUPING_OR_SELECTOR, ' ').replaceAll(DURATIONS_AND_TEXTS, ' ');
  const words = rest.match(/[A-Za-z_]\w*/g) ?? [];
  return words.filter((word) => !KNOWN_WORDS.has(word)).map((word) => `what is ${word}?`);
}
