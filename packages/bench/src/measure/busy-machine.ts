import { availableParallelism } from 'node:os';

/** Other programs may use this share of the cores before times stop meaning anything. */
const TOLERATED_SHARE = 0.25;

/**
 * Whether other programs kept the processors so busy that a time says how long things waited for one. CPU
 * figures still stand then, a little higher for the colder caches.
 */
export function isBusyWithOthers(foreignCores: number, cores = availableParallelism()): boolean {
  return foreignCores > cores * TOLERATED_SHARE;
}

/** Of the times measured so many may be left out as the machine's own before the others stop meaning anything. */
const MOST_LEFT_OUT_PERCENT = 33;

/** Whether the machine stood still or ran slowly for so long that what is left of the times is a choice. */
export function ranTooSlowly(leftOutPercent: number): boolean {
  return leftOutPercent > MOST_LEFT_OUT_PERCENT;
}
