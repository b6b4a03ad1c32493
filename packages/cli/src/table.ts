import { harmlessLine } from './harmless-text.ts';

export interface TableOptions {
  /** Columns from this index on contain numbers and are aligned right. */
  readonly numbersFrom?: number;
}

/** Formats a table. Each column is as wide as its widest cell. */
export function table(
  head: readonly string[],
  contents: readonly (readonly string[])[],
  { numbersFrom = Infinity }: TableOptions = {},
): string {
  const rows = contents.map((row) => row.map(harmlessLine));
  const widths = head.map((title, column) =>
    rows.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), title.length),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column >= numbersFrom ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  return [line(head.map((title) => title.toUpperCase())), ...rows.map(line)].join('\n');
}
