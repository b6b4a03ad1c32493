import type { Pauses } from '@sluice/machine';

/** When things were begun, in milliseconds since the epoch, and how long each took: lists of one length. */
export interface Timings {
  readonly begunAtMs: readonly number[];
  readonly tookMs: readonly number[];
}

/** Collects timings in one process for another one to judge. */
export class TimingList {
  #begunAtMs: number[] = [];
  #tookMs: number[] = [];

  /** A moment of this process's `performance.now()`, and what followed. */
  add(begunAt: number, tookMs: number): void {
    this.#begunAtMs.push(performance.timeOrigin + begunAt);
    this.#tookMs.push(tookMs);
  }

  /** What came since the last time. */
  take(): Timings {
    const taken = { begunAtMs: this.#begunAtMs, tookMs: this.#tookMs };
    this.#begunAtMs = [];
    this.#tookMs = [];
    return taken;
  }
}

export interface RunningTimes {
  readonly tookMs: readonly number[];
  /** Of those that are not among them, the share of all. */
  readonly leftOutShare: number;
}

/**
 * The times of what happened while the machine ran. One of which half or more passed while it did not says
 * something of the machine alone; one that a short pause touched and that took long all the same does not.
 */
export function whileRunning({ begunAtMs, tookMs }: Timings, pauses: Pauses): RunningTimes {
  const running = tookMs.filter((took, index) => {
    const begunAt = (begunAtMs[index] ?? 0) - performance.timeOrigin;
    const pausedMs = pauses.pausedMs(begunAt, begunAt + took);
    return pausedMs === 0 || pausedMs < took / 2;
  });
  return {
    tookMs: running,
    leftOutShare: tookMs.length === 0 ? 0 : 1 - running.length / tookMs.length,
  };
}
