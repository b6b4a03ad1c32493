/** Labels may hold anything between their quotes, closing braces and spaces too. */
const SAMPLE = /^([^\s{]+)(?:\{(?:[^"}]|"(?:\\.|[^"\\])*")*\})?\s+(\S+)/;

/**
 * The values of the named gauges on a page in Prometheus' text format, one for each set of labels. Such pages are
 * long, and of most of their lines not more is looked at than the beginning.
 */
export function readGauges(page: string, names: readonly string[]): Map<string, number[]> {
  const values = new Map<string, number[]>();
  for (const line of page.split('\n')) {
    if (!names.some((name) => line.startsWith(name))) continue;
    const [, name = '', text = ''] = SAMPLE.exec(line) ?? [];
    const value = Number(text);
    // NaN is how a gauge says that it does not know; a longer name is another metric.
    if (!names.includes(name) || text === '' || !Number.isFinite(value)) continue;
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  return values;
}
