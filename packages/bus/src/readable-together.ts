import type { ChangeRange } from './key-value.ts';

export interface StoredSize {
  readonly sequence: number;
  readonly bytes: number;
}

export interface ReadableRange {
  readonly range: ChangeRange;
  /** Stored changes in it. */
  readonly count: number;
}

/** A quarter of what a server holds for one connection unless it is told otherwise. */
const MOST_BYTES = 16 * 1_024 * 1_024;

/** Divides changes, in order, into ranges of no more than so many bytes each, unless it is a single one. */
export function readableTogether(
  sizes: readonly StoredSize[],
  mostBytes = MOST_BYTES,
): ReadableRange[] {
  const ranges: { range: { from: number; to: number }; count: number }[] = [];
  let last: (typeof ranges)[number] | undefined;
  let together = 0;
  for (const { sequence, bytes } of sizes) {
    together += bytes;
    if (last === undefined || together > mostBytes) {
      last = { range: { from: sequence, to: sequence }, count: 0 };
      ranges.push(last);
      together = bytes;
    }
    last.range.to = sequence;
    last.count += 1;
  }
  return ranges;
}
