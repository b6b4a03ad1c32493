import type { Worker } from 'node:worker_threads';

export interface CpuDeadlineLimits {
  /** CPU time of the thread when the step began. */
  readonly beganAtMs: number;
  readonly cpuMs: number;
  /** Ends the wait for a thread that gets no CPU time. */
  readonly wallMs: number;
}

/**
 * Shortest time between two checks. On a busy machine the thread gets little CPU time, so what is left of its limit
 * shrinks slowly. Without this minimum, there would be more and more checks.
 */
const MIN_WAIT_MS = 5;

/**
 * A limit on the CPU time of a thread for one step. `Worker.cpuUsage()` works even while the thread is in a loop or in
 * a regular expression: https://nodejs.org/api/worker_threads.html#workercpuusageprev
 *
 * Wall time is the sum of the timers that fired, so that a pause of the whole process does not count.
 */
export class CpuDeadline {
  readonly #worker: Worker;
  readonly #limits: CpuDeadlineLimits;
  readonly #onMissed: (limit: 'cpu' | 'wall') => void;
  #timer: NodeJS.Timeout | undefined;
  #waitedMs = 0;
  #isStopped = false;

  constructor(
    worker: Worker,
    limits: CpuDeadlineLimits,
    onMissed: (limit: 'cpu' | 'wall') => void,
  ) {
    this.#worker = worker;
    this.#limits = limits;
    this.#onMissed = onMissed;
    this.#wait(limits.cpuMs);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /**
   * Waits for the rest of the limit in wall time. The limit cannot be exceeded earlier, because CPU time grows at most
   * as fast as wall time.
   */
  #wait(ms: number): void {
    const waitMs = Math.max(MIN_WAIT_MS, ms);
    this.#timer = setTimeout(() => {
      this.#waitedMs += waitMs;
      void this.#check();
    }, waitMs);
  }

  async #check(): Promise<void> {
    const leftMs = await this.#leftMs();
    // Messages of the thread that have already arrived are handled first, because one may say that the step has ended.
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (this.#isStopped || leftMs === undefined) return;
    if (leftMs <= 0) this.#onMissed('cpu');
    else if (this.#waitedMs >= this.#limits.wallMs) this.#onMissed('wall');
    else this.#wait(leftMs);
  }

  async #leftMs(): Promise<number | undefined> {
    try {
      const { user, system } = await this.#worker.cpuUsage();
      return this.#limits.beganAtMs + this.#limits.cpuMs - (user + system) / 1_000;
    } catch {
      // The thread has ended.
      return undefined;
    }
  }
}
