import { Worker } from 'node:worker_threads';
import type { Logger } from '@sluice/telemetry';
import { ThreadDeadline } from '@sluice/threads';
import type { TranslatedRequest } from '../dialect/translate-request.ts';
import type { TranslationOrder, TranslationReport } from './translation-thread-messages.ts';

export interface TranslationThreadOptions {
  readonly logger: Logger;
  /** For one body. The thread that is still at it is ended. */
  readonly limitMs: number;
  readonly heapMebibytes: number;
}

/** The thread ended with a request in it: that took too long or too much memory, or the machine is too slow. */
export class TranslationEndedError extends Error {
  override readonly name = 'TranslationEndedError';
}

/** A thread that translates requests until one is too much for it: what takes too long is ended with the thread. */
export class TranslationThread implements AsyncDisposable {
  readonly #options: TranslationThreadOptions;
  readonly #worker: Worker;
  readonly #ready = Promise.withResolvers<void>();
  #outcome: PromiseWithResolvers<TranslatedRequest> | undefined;
  over = false;

  constructor(options: TranslationThreadOptions) {
    this.#options = options;
    this.#worker = new Worker(new URL('./translation-thread-main.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: options.heapMebibytes },
    });
    this.#worker.unref();
    this.#ready.promise.catch(() => undefined);
    this.#worker.on('message', (report: TranslationReport) => this.#take(report));
    this.#worker.on('error', (error) =>
      options.logger.error({ err: error }, 'a translation thread broke'),
    );
    this.#worker.once('exit', () => this.#noteExit());
  }

  /** One at a time. Rejects when the body is no request, with a `TranslationEndedError` when it is too much for a thread. */
  async translate(order: TranslationOrder): Promise<TranslatedRequest> {
    await this.#ready.promise;
    const outcome = Promise.withResolvers<TranslatedRequest>();
    this.#outcome = outcome;
    const deadline = new ThreadDeadline(this.#options.limitMs, () => this.#giveUp());
    this.#worker.postMessage(order, [order.body]);
    try {
      return await outcome.promise;
    } finally {
      deadline.stop();
      this.#outcome = undefined;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }

  #take(report: TranslationReport): void {
    if (report.kind === 'ready') this.#ready.resolve();
    else if (report.kind === 'translated') this.#outcome?.resolve(report.request);
    else this.#outcome?.reject(new Error('the body is no request'));
  }

  #giveUp(): void {
    this.over = true;
    this.#options.logger.warn('a request took too long to translate, and its thread was ended');
    void this.#worker.terminate();
  }

  #noteExit(): void {
    this.over = true;
    const ended = new TranslationEndedError('the translation thread ended');
    this.#ready.reject(ended);
    this.#outcome?.reject(ended);
  }
}
