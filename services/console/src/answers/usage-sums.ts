import type * as z from 'zod';
import type { UsageDimension, UsageReply, UsageSums } from '../api/usage.ts';

type Groups = z.infer<typeof UsageReply>['groups'];
type Sums = z.infer<typeof UsageSums>;

/** Usage sums by days. A month is the sum of its days, and its name is its first moment. */
export function groupByMonth(groups: Groups, by: readonly UsageDimension[]): Groups {
  const place = by.indexOf('month');
  if (place === -1) return groups;
  const months = new Map<string, Groups[number]>();
  for (const { names: dayNames, labels: dayLabels, sums } of groups) {
    const month = `${dayNames[place]?.slice(0, 7)}-01T00:00:00Z`;
    const names = dayNames.with(place, month);
    const labels = dayLabels.with(place, month);
    const key = names.join('\n');
    const known = months.get(key);
    months.set(key, { names, labels, sums: known ? addSums(known.sums, sums) : sums });
  }
  return [...months.values()];
}

function addSums(one: Sums, other: Sums): Sums {
  return {
    requests: one.requests + other.requests,
    completed: one.completed + other.completed,
    cancelled: one.cancelled + other.cancelled,
    failed: one.failed + other.failed,
    refused: one.refused + other.refused,
    input_tokens: one.input_tokens + other.input_tokens,
    cached_tokens: one.cached_tokens + other.cached_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    reasoning_tokens: one.reasoning_tokens + other.reasoning_tokens,
    delivered_tokens: one.delivered_tokens + other.delivered_tokens,
    spend: addAmounts(one.spend, other.spend),
  };
}

/** Adds decimal numbers exactly. */
function addAmounts(one: string | null, other: string | null): string | null {
  if (one === null) return other;
  if (other === null) return one;
  const places = Math.max(placesOf(one), placesOf(other));
  const sum = (unitsOf(one, places) + unitsOf(other, places)).toString().padStart(places + 1, '0');
  if (places === 0) return sum;
  return `${sum.slice(0, -places)}.${sum.slice(-places)}`.replace(/\.?0+$/, '');
}

function placesOf(amount: string): number {
  return amount.split('.')[1]?.length ?? 0;
}

function unitsOf(amount: string, places: number): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(`${whole}${fraction.padEnd(places, '0')}`);
}

const SUM_COLUMNS = [
  'requests',
  'completed',
  'cancelled',
  'failed',
  'refused',
  'input_tokens',
  'cached_tokens',
  'output_tokens',
  'reasoning_tokens',
  'delivered_tokens',
  'spend',
] as const satisfies readonly (keyof Sums)[];

/** A file of RFC 4180. A dimension whose names differ from its labels has a column for each. */
export function usageFile(by: readonly UsageDimension[], groups: Groups): string {
  const heads = by.flatMap((dimension) =>
    dimension === 'key' || dimension === 'project' ? [dimension, `${dimension}_name`] : [dimension],
  );
  const rows = groups.map(({ names, labels, sums }) => [
    ...by.flatMap((dimension, index) => {
      const name = names[index] ?? '';
      return dimension === 'key' || dimension === 'project' ? [name, labels[index] ?? ''] : [name];
    }),
    ...SUM_COLUMNS.map((column) => String(sums[column] ?? '')),
  ]);
  return [[...heads, ...SUM_COLUMNS], ...rows]
    .map((row) => `${row.map(cell).join(',')}\r\n`)
    .join('');
}

/**
 * A spreadsheet runs a cell that begins with one of these as a formula, and people choose the names of keys:
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
const FORMULA = /^[=+\-@\t\r]/;

function cell(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
