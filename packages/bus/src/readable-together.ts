import type { ChangeRange } from './key-value.ts';

export interface StoredSize {
  readonly sequence: number;
  readonly bytes: number;
}

export interface ReadableRange {
  readonly range: ChangeRange;
  /** Number of stored changes in the range. */
  readonly count: number;
}

/** A quarter of what a server buffers for one connection by default. */
const MAX_BYTES = 16 * 1_024 * 1_024;

/** Divides changes, in order, into ranges of at most `maxBytes` each. A single larger change is a range of its own. */
export function readableRange(sizes: readonly StoredSize[], maxBytes = MAX_BYTES): ReadableRange[] {
  const ranges: { range: { from: number; to: number }; count: number }[] = [];
  let last: (typeof ranges)[number] | undefined;
  let rangeBytes = 0;
  for (const { sequence, bytes } of sizes) {
    rangeBytes += bytes;
    if (last === undefined || rangeBytes > maxBytes) {
      last = { range: { from: sequence, to: sequence }, count: 0 };
      ranges.push(last);
      rangeBytes = bytes;
    }
    last.range.to = sequence;
    last.count += 1;
  }
  return ranges;
}
