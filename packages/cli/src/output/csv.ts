import { harmlessLine } from '../harmless-text.ts';

export type CsvRow = Readonly<Record<string, unknown>>;

/** Lines of CSV. The columns are the fields of the rows, and `head` puts their names into the first line. */
export function csvText(rows: readonly CsvRow[], { head = true }: { head?: boolean } = {}): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) => columns.map((column) => csvCell(row[column])).join(','));
  return (head ? [columns.map(csvCell).join(','), ...lines] : lines).join('\n');
}

/** A cell as in https://www.rfc-editor.org/rfc/rfc4180#section-2. Values that are not text are written as JSON. */
function csvCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = harmlessLine(typeof value === 'string' ? value : JSON.stringify(value));
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
