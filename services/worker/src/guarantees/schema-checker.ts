import { Worker } from 'node:worker_threads';
import type { Logger } from '@sluice/telemetry';
import type { JsonObject } from '../runtime/json.ts';
import type {
  SchemaCheckOrder,
  SchemaThreadMessage,
  SchemaVerdict,
} from './schema-check-messages.ts';

export interface SchemaCheckerOptions {
  readonly logger: Logger;
  readonly limitMs?: number;
}

const CHECK_LIMIT_MS = 100;
const MOST_WAITING = 1_000;
const MOST_HEAP_MEBIBYTES = 128;

interface Check {
  readonly schema: JsonObject;
  readonly content: string;
  readonly resolve: (verdict: SchemaVerdict) => void;
}

/**
 * Checks answers against schemas in a thread, one at a time, each within its limit: schemas come from clients, and
 * some take for ever. A check that ends in no time gives the answer the benefit of the doubt.
 */
export class SchemaChecker implements AsyncDisposable {
  readonly #options: SchemaCheckerOptions;
  readonly #waiting: Check[] = [];
  #current: Check | undefined;
  #timer: NodeJS.Timeout | undefined;
  #thread: Worker | undefined;
  #ready = false;
  #lastId = 0;

  constructor(options: SchemaCheckerOptions) {
    this.#options = options;
  }

  /** Starts the thread ahead of the first answer. */
  warmUp(): void {
    this.#thread ??= this.#startThread();
  }

  check(schema: JsonObject, content: string): Promise<SchemaVerdict> {
    const { promise, resolve } = Promise.withResolvers<SchemaVerdict>();
    if (this.#waiting.length >= MOST_WAITING) resolve('unchecked');
    else {
      this.#waiting.push({ schema, content, resolve });
      this.warmUp();
      this.#next();
    }
    return promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { resolve } of this.#waiting.splice(0)) resolve('unchecked');
    await this.#thread?.terminate();
  }

  #next(): void {
    if (this.#current !== undefined || !this.#ready || this.#thread === undefined) return;
    const check = this.#waiting.shift();
    if (check === undefined) return;
    this.#current = check;
    this.#lastId += 1;
    const order: SchemaCheckOrder = {
      id: this.#lastId,
      schema: check.schema,
      content: check.content,
    };
    // Such a thread cannot be interrupted, only ended.
    this.#timer = setTimeout(
      () => void this.#thread?.terminate(),
      this.#options.limitMs ?? CHECK_LIMIT_MS,
    );
    this.#thread.postMessage(order);
  }

  #settle(verdict: SchemaVerdict): void {
    clearTimeout(this.#timer);
    const check = this.#current;
    this.#current = undefined;
    if (verdict === 'unchecked') {
      this.#options.logger.warn('an answer could not be checked against its schema');
    }
    check?.resolve(verdict);
  }

  #startThread(): Worker {
    const thread = new Worker(new URL('./schema-check-thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MEBIBYTES },
    });
    thread.unref();
    thread.on('message', (message: SchemaThreadMessage) => {
      if (message.kind === 'ready') this.#ready = true;
      else if (message.id === this.#lastId) this.#settle(message.verdict);
      this.#next();
    });
    thread.on('error', (error) =>
      this.#options.logger.error({ err: error }, 'the schema thread broke'),
    );
    thread.once('exit', () => {
      this.#thread = undefined;
      this.#ready = false;
      if (this.#current !== undefined) this.#settle('unchecked');
      if (this.#waiting.length > 0) this.warmUp();
    });
    return thread;
  }
}
