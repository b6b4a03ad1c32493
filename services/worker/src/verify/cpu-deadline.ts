import type { Worker } from 'node:worker_threads';

export interface CpuDeadlineLimits {
  /** CPU time of the thread when it began. */
  readonly beganAtMs: number;
  readonly cpuMs: number;
  /** For a thread that gets no CPU time. */
  readonly wallMs: number;
}

/** A busy machine gives the thread less CPU time than passes. */
const SHORTEST_WAIT_MS = 5;

/**
 * A limit on the CPU time that a thread takes for one step. `Worker.cpuUsage()` answers while the thread is in a loop
 * or in a regular expression: https://nodejs.org/api/worker_threads.html#workercpuusageprev
 *
 * The time that passes is counted in timers of this process, so that a process that was stopped has lost nothing.
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

  /** CPU time is at most the time that passes: no look is needed before the rest of the limit is over. */
  #wait(ms: number): void {
    const waitMs = Math.max(SHORTEST_WAIT_MS, ms);
    this.#timer = setTimeout(() => {
      this.#waitedMs += waitMs;
      void this.#look();
    }, waitMs);
  }

  async #look(): Promise<void> {
    const leftMs = await this.#leftMs();
    // What the thread has said until now is read first.
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
