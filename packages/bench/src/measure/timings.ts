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
 * The times of what happened while the machine ran. Whatever was under way when it did not took as long as
 * that, whoever did it: such a time says something of the machine alone.
 */
export function whileRunning({ begunAtMs, tookMs }: Timings, pauses: Pauses): RunningTimes {
  const running = tookMs.filter((took, index) => {
    const begunAt = (begunAtMs[index] ?? 0) - performance.timeOrigin;
    return pauses.pausedMs(begunAt, begunAt + took) === 0;
  });
  return {
    tookMs: running,
    leftOutShare: tookMs.length === 0 ? 0 : 1 - running.length / tookMs.length,
  };
}
