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
/** Nobody waits for it, but the checks behind it do. */
const PREPARE_LIMIT_MS = 500;
/** For a thread that does not even begin. */
const BEGIN_LIMIT_MS = 5_000;
const MOST_WAITING = 1_000;
const MOST_HEAP_MEBIBYTES = 128;

interface Check {
  readonly schema: JsonObject;
  readonly content: string | undefined;
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

  /** An answer will have to match this schema: compiling it takes longer than the check. */
  prepare(schema: JsonObject): void {
    void this.#enqueue(schema, undefined);
  }

  check(schema: JsonObject, content: string): Promise<SchemaVerdict> {
    return this.#enqueue(schema, content);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { resolve } of this.#waiting.splice(0)) resolve('unchecked');
    await this.#thread?.terminate();
  }

  #enqueue(schema: JsonObject, content: string | undefined): Promise<SchemaVerdict> {
    const { promise, resolve } = Promise.withResolvers<SchemaVerdict>();
    if (this.#waiting.length >= MOST_WAITING) resolve('unchecked');
    else {
      this.#waiting.push({ schema, content, resolve });
      this.#thread ??= this.#startThread();
      this.#next();
    }
    return promise;
  }

  #next(): void {
    if (this.#current !== undefined || !this.#ready || this.#thread === undefined) return;
    const check = this.#waiting.shift();
    if (check === undefined) return;
    this.#current = check;
    this.#lastId += 1;
    const { schema, content } = check;
    const order: SchemaCheckOrder = { id: this.#lastId, schema, content };
    this.#endAfter(BEGIN_LIMIT_MS);
    this.#thread.postMessage(order);
  }

  /** Such a thread cannot be interrupted, only ended. */
  #endAfter(limitMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#thread?.terminate(), limitMs);
  }

  #begin({ content }: Check): void {
    const checkLimit = this.#options.limitMs ?? CHECK_LIMIT_MS;
    this.#endAfter(content === undefined ? PREPARE_LIMIT_MS : checkLimit);
  }

  #settle(verdict: SchemaVerdict): void {
    clearTimeout(this.#timer);
    const check = this.#current;
    this.#current = undefined;
    if (verdict === 'unchecked' && check?.content !== undefined) {
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
      else if (message.id === this.#lastId && this.#current !== undefined) {
        if (message.kind === 'begun') this.#begin(this.#current);
        else this.#settle(message.verdict);
      }
      this.#next();
    });
    thread.on('error', (error) =>
      this.#options.logger.error({ err: error }, 'the schema thread broke'),
    );
    thread.once('exit', () => {
      // One that cannot even begin would end again and again.
      const worthAnother = this.#ready;
      this.#thread = undefined;
      this.#ready = false;
      if (this.#current !== undefined) this.#settle('unchecked');
      if (!worthAnother) for (const { resolve } of this.#waiting.splice(0)) resolve('unchecked');
      else if (this.#waiting.length > 0) this.#thread = this.#startThread();
    });
    return thread;
  }
}
