export interface TableOptions {
  /** Columns from this one on hold numbers, which are compared by their last digits. */
  readonly numbersFrom?: number;
}

/** Columns as wide as their widest cell, for people. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { numbersFrom = Infinity }: TableOptions = {},
): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
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
