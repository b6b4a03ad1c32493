import type { Logger } from '@sluice/telemetry';
import { TurnQueue } from '@sluice/threads';
import type { Dialect } from '../dialect/dialect.ts';
import {
  translateRequest,
  type TranslatedRequest,
  type TranslationSettings,
} from '../dialect/translate-request.ts';
import { isLargeBody } from '../domain/large-body.ts';
import { TranslationThread, type TranslationThreadOptions } from './translation-thread.ts';

export interface RequestTranslatorOptions {
  readonly logger: Logger;
  readonly limitMs?: number;
}

export interface Translation extends TranslationSettings {
  /** Asked when its turn has come. */
  readonly isWanted: () => boolean;
}

/** More than one, or a body that takes its time holds up all others. */
const THREADS = 2;
/** The slowest body that a gateway lets through takes a third of this on a slow machine. */
const LIMIT_MS = 10_000;
/** The largest heap seen was 360 MB. To run out of it may end the process: V8 cannot stop a parser that is at work. */
const HEAP_MEBIBYTES = 1_024;

interface Waiting {
  readonly body: Uint8Array;
  readonly dialect: Dialect;
  readonly translation: Translation;
  readonly outcome: PromiseWithResolvers<TranslatedRequest>;
}

/**
 * Translates requests: small ones at once, large ones in threads, in turns between organizations. Of 4 MiB, some take
 * more than a second, in which no stream of another request would go on.
 */
export class RequestTranslator implements AsyncDisposable {
  readonly #threadOptions: TranslationThreadOptions;
  /** What waits has a slot each, and needs no other bound. */
  readonly #queue = new TurnQueue<Waiting>({ weigh: () => 0, most: 0, mostOfOne: 0 });
  readonly #idle: TranslationThread[] = [];
  readonly #busy = new Set<TranslationThread>();

  constructor({ logger, limitMs = LIMIT_MS }: RequestTranslatorOptions) {
    this.#threadOptions = { logger, limitMs, heapMebibytes: HEAP_MEBIBYTES };
  }

  /** Throws, or rejects, when the body is no request, is too much for a thread, or is not wanted any more. */
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
    const { header, sharedCache, countsPrompt } = translation;
    try {
      const settings = { header, sharedCache, countsPrompt };
      outcome.resolve(
        await thread.translate({ body: ownCopy(body), kind: dialect.kind, settings }),
      );
    } catch (error) {
      outcome.reject(error);
    } finally {
      this.#busy.delete(thread);
      if (!thread.over) this.#idle.push(thread);
      this.#useThreads();
    }
  }
}

/** The message that brought the body holds its header too, and cannot be moved. */
function ownCopy(body: Uint8Array): ArrayBuffer {
  const copy = new ArrayBuffer(body.byteLength);
  new Uint8Array(copy).set(body);
  return copy;
}
