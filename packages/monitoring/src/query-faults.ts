import { everySeries } from './prometheus-names.ts';

/** Of PromQL, what our queries use; whatever else stands there is taken for a metric that is not ours. */
const KNOWN_WORDS = new Set([
  'absent',
  'and',
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
const DURATIONS_AND_TEXTS = /\[[^\]]*\]|"[^"]*"/g;

/** What is wrong with a query: metrics that are not ours, and labels that they do not have. */
export function queryFaults(query: string): string[] {
  const series = everySeries();
  const faults: string[] = [];
  let wanted: string[] = [];
  let selectors = 0;
  for (const { groups = {} } of query.matchAll(GROUPING_OR_SELECTOR)) {
    const { grouping, name, matchers = '', bare } = groups;
    if (grouping !== undefined) {
      wanted.push(...grouping.split(',').map((label) => label.trim()));
      continue;
    }
    selectors += 1;
    const matched = Array.from(matchers.matchAll(MATCHER), (match) => match.groups ?? {});
    const named = matched.find(({ label }) => label === '__name__')?.['value'];
    const names = named?.split('|') ?? [name ?? bare ?? ''];
    wanted.push(...matched.map(({ label = '' }) => label).filter((label) => label !== '__name__'));
    for (const one of names) {
      const labels = series.get(one);
      if (labels === undefined) faults.push(`there is no ${one === '' ? 'name' : one}`);
      else {
        const missing = wanted.filter((label) => !labels.includes(label));
        faults.push(...missing.map((label) => `${one} has no ${label}`));
      }
    }
    wanted = [];
  }
  if (selectors === 0) faults.push('it asks for no metric');
  return [...faults, ...strangeWords(query)];
}

function strangeWords(query: string): string[] {
  const rest = query.replaceAll(GROUPING_OR_SELECTOR, ' ').replaceAll(DURATIONS_AND_TEXTS, ' ');
  const words = rest.match(/[A-Za-z_]\w*/g) ?? [];
  return words.filter((word) => !KNOWN_WORDS.has(word)).map((word) => `what is ${word}?`);
}
