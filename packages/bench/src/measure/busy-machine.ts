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
