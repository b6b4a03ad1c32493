import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { PauseLog } from './pause-log.ts';
import { Pauses } from './pauses.ts';
import { NOTICE_SLOWNESS } from './slowness.ts';

const PAUSES_KEPT = 100_000;

export interface WitnessOptions {
  /**
   * Whether a time in which the processors ran at less than half of their speed is a pause too, as under a host
   * that throttles them. Only on Linux; costs up to a twentieth of each.
   */
  readonly noticeSlowness?: boolean;
}

interface WitnessThread {
  readonly log: PauseLog;
  readonly ended: Promise<void>;
}

/**
 * Notices when the machine itself did not run: a host that gave the processor to somebody else, or more
 * work than processors. What a program seems to take in that time is not the program's. One thread a
 * processor sleeps and wakes, and a late awakening is a pause.
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

  /** Every pause so far. */
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
  // A thread is there some time before it runs: what happened until then would go unnoticed.
  thread.once('message', () => looking.resolve());
  thread.once('error', (error) => {
    looking.reject(error);
    ended.reject(error);
  });
  thread.once('exit', () => ended.resolve());
  await looking.promise;
  return { log, ended: ended.promise };
}
