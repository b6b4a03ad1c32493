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
