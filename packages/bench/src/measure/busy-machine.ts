import { availableParallelism } from 'node:os';

/** Share of the cores that other programs may use before measured times are meaningless. */
const TOLERATED_SHARE = 0.25;

/**
 * Whether other programs keep the processors so busy that measured times mostly show waiting for a processor. CPU
 * figures remain valid, slightly higher because of colder caches.
 */
export function isBusyWithOthers(foreignCores: number, cores = availableParallelism()): boolean {
  return foreignCores > cores * TOLERATED_SHARE;
}

/** Share of the processor time that the host may take before measured times are meaningless. */
const TOLERATED_STOLEN = 0.05;

/** Whether the host of this virtual machine ran other machines for so long that measured times show it. */
export function wasStolenFrom(stolenShare: number): boolean {
  return stolenShare > TOLERATED_STOLEN;
}

/** Largest share of times that may be left out because the machine was paused or slow. */
const MAX_LEFT_OUT_PERCENT = 33;

/** Whether so many times were left out that the remaining ones are not representative. */
export function ranTooSlowly(leftOutPercent: number): boolean {
  return leftOutPercent > MAX_LEFT_OUT_PERCENT;
}
