import type { Summary } from '../measure/statistics.ts';

/** Formats a table. The first column is aligned left, the other columns right. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    }
  }
  return rows
    .map((row) =>
      row
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return column === 0 ? cell.padEnd(width) : cell.padStart(width);
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function formatNumber(value: number, digits: number): string {
  return value.toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** Marks a promise as kept, broken or not judged (undefined). */
export function markOf(kept: boolean | undefined): string {
  if (kept === undefined) return '?';
  return kept ? '✓' : '✗';
}

/** Formats the median, and the spread when there are several rounds. */
export function formatSummary(summary: Summary | undefined, digits: number): string {
  if (summary === undefined) return '–';
  const { median, least, most, count } = summary;
  const middle = formatNumber(median, digits);
  if (count === 1) return middle;
  return `${middle} [${formatNumber(least, digits)}–${formatNumber(most, digits)}]`;
}
