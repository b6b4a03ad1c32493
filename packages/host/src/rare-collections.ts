import { setFlagsFromString } from 'node:v8';

/**
 * Settings of V8 under which full collections of garbage are rare, at the price of memory.
 *
 * V8 would collect as soon as a small heap has grown by 8 MB, every few seconds under load, and its helping
 * threads take the processors from everybody for some 40 ms: on two of them that alone decided the slowest
 * hundredth of all admissions. Here it does when three times what the last collection left has been added.
 *
 * Nor may V8 decide that what is made at one place lives long and belongs among the old at once. A moment in
 * which everything waits teaches it that of admissions, for good: from then on half a kilobyte of each was old
 * from birth, and at 70,000 a second a full collection was due every second.
 *
 * And V8 collects fully in order to give memory back, when a process is idle, but after 100 s without a full
 * collection under any load too. What it would give back, the next load takes again. Its memory reducer is there
 * before any of our code runs, so that only how often it may collect can still be said.
 */
export const RARE_COLLECTIONS = [
  '--heap-growing-percent=300',
  '--no-allocation-site-pretenuring',
  '--memory-reducer-gc-count=0',
] as const;

/** For a process that lives under load. */
export function collectFullyRarely(): void {
  for (const flag of RARE_COLLECTIONS) setFlagsFromString(flag);
}
