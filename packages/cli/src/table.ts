import { harmlessLine } from './harmless-text.ts';
import { PLAIN_SCREEN, paint, type Colour, type Screen } from './screen.ts';

export interface TableOptions {
  /** Columns from this index on contain numbers and are aligned right. */
  readonly numbersFrom?: number;
  /** The table is made to fit its width. Without a width, every column is as wide as its widest cell. */
  readonly screen?: Screen | undefined;
  /** The colour of a cell, such as of a state. */
  readonly colourOf?: (cell: string, title: string) => Colour | undefined;
}

const GAP = '  ';

/**
 * Formats a table. If it is wider than the screen, cells wrap at spaces. If that is not enough, the last columns are
 * left out and named below. Nothing is cut off, so that every value can be copied.
 */
export function table(
  head: readonly string[],
  contents: readonly (readonly string[])[],
  { numbersFrom = Infinity, screen = PLAIN_SCREEN, colourOf }: TableOptions = {},
): string {
  const rows = contents.map((row) => row.map(harmlessLine));
  const widths = fittingWidths(head, rows, screen.columns ?? Infinity);
  const render = (
    cells: readonly string[],
    colour: (cell: string, title: string) => Colour | undefined,
  ) => {
    const wrapped = widths.map((width, column) => wrap(cells[column] ?? '', width));
    const height = Math.max(...wrapped.map((lines) => lines.length));
    return Array.from({ length: height }, (_, line) =>
      widths
        .map((width, column) => {
          const text = wrapped[column]?.[line] ?? '';
          const cellColour =
            text === '' ? undefined : colour(cells[column] ?? '', head[column] ?? '');
          const painted = paint(screen, cellColour, text);
          const space = ' '.repeat(width - text.length);
          return column >= numbersFrom ? space + painted : painted + space;
        })
        .join(GAP)
        .trimEnd(),
    );
  };
  const titles = head.map((title) => title.toUpperCase());
  const lines = [
    ...render(titles, () => 'bold'),
    ...rows.flatMap((row) => render(row, (cell, title) => colourOf?.(cell, title))),
  ];
  const leftOut = head.slice(widths.length);
  if (leftOut.length > 0) {
    lines.push(
      paint(
        screen,
        'dim',
        `(columns that do not fit: ${leftOut.join(', ')}; --json shows everything)`,
      ),
    );
  }
  return lines.join('\n');
}

/** The widths of the columns that fit. The last columns may be missing. */
function fittingWidths(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  available: number,
): number[] {
  const widest = (measure: (cell: string) => number) =>
    head.map((title, column) =>
      rows.reduce((width, row) => Math.max(width, measure(row[column] ?? '')), title.length),
    );
  const natural = widest((cell) => cell.length);
  if (totalOf(natural) <= available) return natural;
  const least = widest((cell) => Math.max(...wordsOf(cell).map((word) => word.length)));
  let shown = head.length;
  while (shown > 1 && totalOf(least.slice(0, shown)) > available) shown -= 1;
  const widths = natural.slice(0, shown);
  while (totalOf(widths) > available) {
    const column = widestThatCanWrap(widths, least);
    if (column === undefined) break;
    widths[column] = (widths[column] ?? 0) - 1;
  }
  return widths;
}

/** The index of the widest column that is wider than its longest word. */
function widestThatCanWrap(
  widths: readonly number[],
  least: readonly number[],
): number | undefined {
  let widest: number | undefined;
  for (const [column, width] of widths.entries()) {
    const canWrap = width > (least[column] ?? 0);
    if (canWrap && (widest === undefined || width > (widths[widest] ?? 0))) widest = column;
  }
  return widest;
}

function totalOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
}

/** A date stays together with its time. */
function wordsOf(text: string): string[] {
  return text.split(/ (?!\d\d:\d\d)/);
}

function wrap(text: string, width: number): string[] {
  if (text.length <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of wordsOf(text)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
