import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { PauseLog } from './pause-log.ts';
import { Pauses } from './pauses.ts';
import { NOTICE_SLOWNESS } from './slowness.ts';

const PAUSES_KEPT = 100_000;

export interface WitnessOptions {
  /**
   * Whether a time counts as a pause if the processors ran at less than half of their speed, for example because the
   * host throttles them. Works only on Linux, and takes up to 5% of each processor.
   */
  readonly noticeSlowness?: boolean;
}

interface WitnessThread {
  readonly log: PauseLog;
  readonly ended: Promise<void>;
}

/**
 * Detects pauses: times during which the machine itself did not run. Its host gave the processor to another machine, or
 * there was too much work for the processors. A pause must not count as the time of a measured program. For each
 * processor, one thread sleeps repeatedly. If the thread wakes up late, the machine was paused.
 */
export class PauseWitness implements AsyncDisposable {
  readonly #threads: readonly WitnessThread[];

  private constructor(threads: readonly WitnessThread[]) {
    this.#threads = threads;
  }

  static async start({ noticeSlowness = false }: WitnessOptions = {}): Promise<PauseWitness> {
    const threads = Array.from({ length: availableParallelism() }, () =>
      startThread(noticeSlowness),
    );
    return new PauseWitness(await Promise.all(threads));
  }

  /** Returns every pause so far. */
  look(): Pauses {
    const { timeOrigin } = performance;
    return new Pauses(
      this.#threads.flatMap(({ log }) =>
        log.read().map(({ from, to }) => ({ from: from - timeOrigin, to: to - timeOrigin })),
      ),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { log } of this.#threads) log.stop();
    await Promise.all(this.#threads.map(({ ended }) => ended));
  }
}

async function startThread(noticeSlowness: boolean): Promise<WitnessThread> {
  const log = PauseLog.ofSize(PAUSES_KEPT);
  const thread = new Worker(new URL('./pause-thread.ts', import.meta.url), {
    workerData: log.memory,
    argv: noticeSlowness ? [NOTICE_SLOWNESS] : [],
  });
  const looking = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  // A thread begins to run some time after it was created. It cannot notice pauses before that.
  thread.once('message', () => looking.resolve());
  thread.once('error', (error) => {
    looking.reject(error);
    ended.reject(error);
  });
  thread.once('exit', () => ended.resolve());
  await looking.promise;
  return { log, ended: ended.promise };
}
