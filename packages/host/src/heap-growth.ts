import { setFlagsFromString } from 'node:v8';

/** A full collection comes when three times what the last one left has been added. */
const GROWTH_PERCENT = 300;

/**
 * Makes full collections of garbage rare, at the price of memory. V8 would collect as soon as a small heap has
 * grown by 8 MB, every few seconds under load, and its helping threads take the processors from everybody for
 * some 40 ms: on two of them that alone decided the slowest hundredth of all admissions.
 */
export function collectFullyRarely(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
