import { Worker } from 'node:worker_threads';
import { type Logger, ThreadDeadline } from '@sluice/service';
import type { RuntimeKind } from '../dialects/dialect.ts';
import type { TranslatedRequest, TranslationSettings } from '../dialects/translate-request.ts';

/** A message to the thread. Bytes are transferred, not copied. */
export interface TranslationRequest {
  readonly body: ArrayBuffer;
  readonly kind: RuntimeKind;
  readonly settings: TranslationSettings;
}

/** A message from the thread. `ready` is sent once, before the first request: the limit does not include loading. */
export type TranslationReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'translated'; readonly request: TranslatedRequest }
  /** The body is not a request. The reason is left out, because the parser's error may quote the prompt. */
  | { readonly kind: 'unreadable' };

export interface TranslationThreadOptions {
  readonly logger: Logger;
  /** The time limit for one body. A thread that exceeds it is ended. */
  readonly limitMs: number;
  readonly heapMebibytes: number;
}

/** The thread ended during a translation, which took too much time or memory. */
export class TranslationEndedError extends Error {
  override readonly name = 'TranslationEndedError';
}

/** A thread that translates requests, one at a time. A translation that takes too long is ended with the thread. */
export class TranslationThread implements AsyncDisposable {
  readonly #options: TranslationThreadOptions;
  readonly #worker: Worker;
  readonly #ready = Promise.withResolvers<void>();
  #outcome: PromiseWithResolvers<TranslatedRequest> | undefined;
  hasEnded = false;

  constructor(options: TranslationThreadOptions) {
    this.#options = options;
    this.#worker = new Worker(new URL('./translation-thread-main.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: options.heapMebibytes },
    });
    this.#worker.unref();
    // If the thread fails to start while no translation waits for it, the rejection would be unhandled.
    this.#ready.promise.catch(() => undefined);
    this.#worker.on('message', (report: TranslationReport) => this.#handle(report));
    this.#worker.on('error', (error) =>
      options.logger.error({ err: error }, 'a translation thread failed'),
    );
    this.#worker.once('exit', () => this.#noteExit());
  }

  /** Rejects if the body is not a request, and with a `TranslationEndedError` if it takes too much time or memory. */
  async translate(request: TranslationRequest): Promise<TranslatedRequest> {
    await this.#ready.promise;
    const outcome = Promise.withResolvers<TranslatedRequest>();
    this.#outcome = outcome;
    const deadline = new ThreadDeadline(this.#options.limitMs, () => this.#giveUp());
    this.#worker.postMessage(request, [request.body]);
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

  #handle(report: TranslationReport): void {
    if (report.kind === 'ready') this.#ready.resolve();
    else if (report.kind === 'translated') this.#outcome?.resolve(report.request);
    else this.#outcome?.reject(new Error('the body is not a valid request'));
  }

  #giveUp(): void {
    this.hasEnded = true;
    this.#options.logger.warn('a request took too long to translate, and its thread was ended');
    void this.#worker.terminate();
  }

  #noteExit(): void {
    this.hasEnded = true;
    const ended = new TranslationEndedError('the translation thread ended');
    this.#ready.reject(ended);
    this.#outcome?.reject(ended);
  }
}
