import { setFlagsFromString } from 'node:v8';

/** A full collection comes when three times what the last one left has been added. */
const GROWTH_PERCENT = 300;

/**
 * Makes full collections of garbage rare, at the price of memory. V8 would collect as soon as a small heap has
 * grown by 8 MB, every few seconds under load, and its helping threads take the processors from everybody for
 * some 40 ms: on two of them that alone decided the slowest hundredth of all admissions.
 *
 * Nor may V8 decide that what is made at one place lives long and belongs among the old at once. A moment in
 * which everything waits teaches it that of admissions, for good: from then on half a kilobyte of each was old
 * from birth, and at 70,000 a second a full collection was due every second.
 */
export function collectFullyRarely(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  setFlagsFromString('--no-allocation-site-pretenuring');
}
