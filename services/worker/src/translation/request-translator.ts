import { type Logger, RoundRobinQueue } from '@sluice/service';
import { isLargeBody } from '../attempt/attempt.ts';
import type { Dialect } from '../dialects/dialect.ts';
import {
  translateRequest,
  type TranslatedRequest,
  type TranslationSettings,
} from '../dialects/translate-request.ts';
import { TranslationThread, type TranslationThreadOptions } from './translation-thread.ts';

export interface RequestTranslatorOptions {
  readonly logger: Logger;
  readonly limitMs?: number;
}

export interface Translation extends TranslationSettings {
  /** Whether the result is still needed. Called before the translation starts. */
  readonly isWanted: () => boolean;
}

/** With only one thread, a body that takes long would delay all other large bodies. */
const THREADS = 2;
/** Time limit for one body. On a slow machine, the slowest body that a gateway accepts took a third of it. */
const LIMIT_MS = 10_000;
/**
 * The largest heap measured was 360 MB. The limit is far above it, because a thread that reaches its limit while it
 * parses may abort the whole process: https://nodejs.org/api/worker_threads.html#new-workerfilename-options
 */
const HEAP_MEBIBYTES = 1_024;

interface Waiting {
  readonly body: Uint8Array;
  readonly dialect: Dialect;
  readonly translation: Translation;
  readonly outcome: PromiseWithResolvers<TranslatedRequest>;
}

/**
 * Translates requests. Small ones are translated at once. Large ones wait for a thread, in an order that is fair to
 * organizations: some requests of 4 MiB take more than a second, which would delay all streams of the worker.
 */
export class RequestTranslator implements AsyncDisposable {
  readonly #threadOptions: TranslationThreadOptions;
  /** Has no bound of its own, because each waiting request holds a slot. */
  readonly #queue = new RoundRobinQueue<Waiting>({
    weigh: () => 0,
    maxWeight: 0,
    maxWeightPerOrganization: 0,
  });
  readonly #idle: TranslationThread[] = [];
  readonly #busy = new Set<TranslationThread>();

  constructor({ logger, limitMs = LIMIT_MS }: RequestTranslatorOptions) {
    this.#threadOptions = { logger, limitMs, heapMebibytes: HEAP_MEBIBYTES };
  }

  /** Throws or rejects if the body is not a request, takes too much time or memory, or is no longer wanted. */
  translate(
    body: Uint8Array,
    dialect: Dialect,
    translation: Translation,
  ): TranslatedRequest | Promise<TranslatedRequest> {
    if (!isLargeBody(body.byteLength)) return translateRequest(body, dialect, translation);
    const outcome = Promise.withResolvers<TranslatedRequest>();
    this.#queue.add(translation.header.organization, { body, dialect, translation, outcome });
    this.#useThreads();
    return outcome.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const threads = [...this.#idle, ...this.#busy];
    await Promise.all(threads.map((thread) => thread[Symbol.asyncDispose]()));
  }

  #useThreads(): void {
    while (this.#busy.size < THREADS) {
      const waiting = this.#queue.take();
      if (waiting === undefined) return;
      if (waiting.translation.isWanted()) void this.#translateIn(this.#takeThread(), waiting);
      else waiting.outcome.reject(new Error('the request is not wanted any more'));
    }
  }

  #takeThread(): TranslationThread {
    const thread = this.#idle.pop() ?? new TranslationThread(this.#threadOptions);
    this.#busy.add(thread);
    return thread;
  }

  async #translateIn(thread: TranslationThread, waiting: Waiting): Promise<void> {
    const { body, dialect, translation, outcome } = waiting;
    const { header, sharedCache, priorities, countsPrompt } = translation;
    try {
      const settings = { header, sharedCache, priorities, countsPrompt };
      outcome.resolve(
        await thread.translate({ body: ownCopy(body), kind: dialect.kind, settings }),
      );
    } catch (error) {
      outcome.reject(error);
    } finally {
      this.#busy.delete(thread);
      if (!thread.hasEnded) this.#idle.push(thread);
      this.#useThreads();
    }
  }
}

/** A copy that can be transferred to a thread. The original shares its buffer with the header of the message. */
function ownCopy(body: Uint8Array): ArrayBuffer {
  const copy = new ArrayBuffer(body.byteLength);
  new Uint8Array(copy).set(body);
  return copy;
}
