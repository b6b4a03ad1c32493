import type { Pauses } from '@sluice/devkit/pauses';

/** Start times in milliseconds since the epoch, and durations. Both lists have the same length. */
export interface Timings {
  readonly begunAtMs: readonly number[];
  readonly tookMs: readonly number[];
}

/** Collects timings in one process, to be judged in another one. */
export class TimingList {
  #begunAtMs: number[] = [];
  #tookMs: number[] = [];

  /** Takes a time of this process's `performance.now()` and a duration. */
  add(begunAt: number, tookMs: number): void {
    this.#begunAtMs.push(performance.timeOrigin + begunAt);
    this.#tookMs.push(tookMs);
  }

  /** Returns the timings since the last call. */
  take(): Timings {
    const taken = { begunAtMs: this.#begunAtMs, tookMs: this.#tookMs };
    this.#begunAtMs = [];
    this.#tookMs = [];
    return taken;
  }
}

export interface RunningTimes {
  readonly tookMs: readonly number[];
  /** Share of all times that was left out. */
  readonly leftOutShare: number;
}

/**
 * The durations that the machine's pauses do not explain. A duration is left out when the machine was paused for half
 * of it or more. A long duration with a short pause is kept.
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
