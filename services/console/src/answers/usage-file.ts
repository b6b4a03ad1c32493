import type * as z from 'zod';
import type { UsageDimension, UsageReply, UsageSums } from '../api/usage.ts';

type Groups = z.infer<typeof UsageReply>['groups'];
type Sums = z.infer<typeof UsageSums>;

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
  'unpriced',
] as const satisfies readonly (keyof Sums)[];

/** Writes CSV (RFC 4180). Keys and projects have two columns: their id and their name. */
export function usageFile(by: readonly UsageDimension[], groups: Groups): string {
  const heads = by.flatMap((dimension) =>
    hasLabels(dimension) ? [dimension, `${dimension}_name`] : [dimension],
  );
  const rows = groups.map(({ names, labels, sums }) => [
    ...by.flatMap((dimension, index) => {
      const name = names[index] ?? '';
      return hasLabels(dimension) ? [name, labels[index] ?? ''] : [name];
    }),
    ...SUM_COLUMNS.map((column) => String(sums[column] ?? '')),
  ]);
  return [[...heads, ...SUM_COLUMNS], ...rows]
    .map((row) => `${row.map(cell).join(',')}\r\n`)
    .join('');
}

function hasLabels(dimension: UsageDimension): boolean {
  return dimension === 'key' || dimension === 'project';
}

/**
 * A spreadsheet runs a cell that begins with one of these characters as a formula. The names of keys could begin with
 * them, because people choose these names: https://owasp.org/www-community/attacks/CSV_Injection
 */
const FORMULA = /^[=+\-@\t\r]/;

function cell(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
