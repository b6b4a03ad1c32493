import { Worker } from 'node:worker_threads';
import type { Logger } from '@sluice/telemetry';
import { Deadline } from '@sluice/timing';
import { isJson, type JsonObject } from '../runtime/json.ts';
import { CheckQueue } from './check-queue.ts';
import { GivenUpSchemas } from './given-up-schemas.ts';
import type {
  SchemaCheckOrder,
  SchemaThreadMessage,
  SchemaVerdict,
} from './schema-check-messages.ts';

export interface SchemaCheckerOptions {
  readonly logger: Logger;
  readonly limitMs?: number;
  readonly prepareLimitMs?: number;
  readonly mostCompiled?: number;
}

const CHECK_LIMIT_MS = 100;
/** Nobody waits for it, but a check that comes meanwhile does. */
const PREPARE_LIMIT_MS = 500;
/** For a thread that does not even begin. */
const BEGIN_LIMIT_MS = 5_000;
const BOUNDS = { most: 1_000, mostOfOne: 100 };
const MOST_HEAP_MEBIBYTES = 128;
/** A thread is replaced long before what its compilers keep fills its memory. */
const MOST_COMPILED = 1_000_000;

interface Check {
  readonly organization: string;
  readonly schema: JsonObject;
  readonly content: string | undefined;
  readonly resolve: (verdict: SchemaVerdict) => void;
}

/**
 * Checks answers against schemas in a thread, one at a time, each within its limit: schemas come from clients, and
 * some take for ever. A check that does not end in time gives the answer the benefit of the doubt.
 */
export class SchemaChecker implements AsyncDisposable {
  readonly #options: SchemaCheckerOptions;
  readonly #checks = new CheckQueue<Check>(BOUNDS);
  readonly #preparations = new CheckQueue<Check>(BOUNDS);
  readonly #givenUp = new GivenUpSchemas(() => performance.now());
  #current: Check | undefined;
  #hasBegun = false;
  #deadline: Deadline | undefined;
  #thread: Worker | undefined;
  #ready = false;
  #lastId = 0;
  #closed = false;

  constructor(options: SchemaCheckerOptions) {
    this.#options = options;
  }

  /** An answer will have to match this schema: compiling it takes longer than the check. */
  prepare(organization: string, schema: JsonObject): void {
    if (this.#givenUp.has(organization, schema)) return;
    const nobodyWaits = () => undefined;
    const preparation: Check = { organization, schema, content: undefined, resolve: nobodyWaits };
    if (this.#preparations.add(organization, preparation)) this.#work();
  }

  check(organization: string, schema: JsonObject, content: string): Promise<SchemaVerdict> {
    const { promise, resolve } = Promise.withResolvers<SchemaVerdict>();
    const check: Check = { organization, schema, content, resolve };
    if (this.#givenUp.has(organization, schema) || !this.#checks.add(organization, check)) {
      leaveUnchecked(check);
    } else this.#work();
    return promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#leaveAllUnchecked();
    await this.#thread?.terminate();
  }

  #work(): void {
    this.#thread ??= this.#startThread();
    this.#next();
  }

  #leaveAllUnchecked(): void {
    while (this.#preparations.take() !== undefined);
    for (let check = this.#checks.take(); check !== undefined; check = this.#checks.take()) {
      check.resolve('unchecked');
    }
  }

  #next(): void {
    if (this.#current !== undefined || !this.#ready || this.#thread === undefined) return;
    // Somebody waits for a check.
    const check = this.#take(this.#checks) ?? this.#take(this.#preparations);
    if (check === undefined) return;
    this.#current = check;
    this.#hasBegun = false;
    this.#lastId += 1;
    const { schema, content } = check;
    const order: SchemaCheckOrder = { id: this.#lastId, schema, content };
    this.#endAfter(BEGIN_LIMIT_MS);
    this.#thread.postMessage(order);
  }

  /** The next one whose schema was not given up while it waited. */
  #take(queue: CheckQueue<Check>): Check | undefined {
    let next = queue.take();
    while (next !== undefined && this.#givenUp.has(next.organization, next.schema)) {
      leaveUnchecked(next);
      next = queue.take();
    }
    return next;
  }

  /** Such a thread cannot be interrupted, only ended. */
  #endAfter(limitMs: number): void {
    this.#deadline?.stop();
    this.#deadline = new Deadline(limitMs, () => this.#end(this.#thread));
  }

  /** Nothing is given to it any more, though it may still say something. */
  #end(thread: Worker | undefined): void {
    this.#ready = false;
    void thread?.terminate();
  }

  #begin({ content }: Check): void {
    this.#hasBegun = true;
    const { limitMs = CHECK_LIMIT_MS, prepareLimitMs = PREPARE_LIMIT_MS } = this.#options;
    this.#endAfter(content === undefined ? prepareLimitMs : limitMs);
  }

  #settle(verdict: SchemaVerdict): void {
    this.#deadline?.stop();
    const check = this.#current;
    this.#current = undefined;
    if (verdict === 'unchecked' && check?.content !== undefined) {
      this.#options.logger.warn('an answer could not be checked against its schema');
    }
    check?.resolve(verdict);
  }

  #startThread(): Worker {
    const { mostCompiled = MOST_COMPILED } = this.#options;
    const thread = new Worker(new URL('./schema-check-thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MEBIBYTES },
    });
    thread.unref();
    let wasReady = false;
    let isWorn = false;
    thread.on('message', (message: SchemaThreadMessage) => {
      if (message.kind === 'ready') {
        wasReady = true;
        this.#ready = true;
      } else if (message.id === this.#lastId && this.#current !== undefined) {
        if (message.kind === 'begun') this.#begin(this.#current);
        else {
          this.#settle(message.verdict);
          isWorn = message.compiled > mostCompiled;
          if (isWorn) this.#end(thread);
        }
      }
      this.#next();
    });
    thread.on('error', (error) =>
      this.#options.logger.error({ err: error }, 'the schema thread broke'),
    );
    thread.once('exit', () => {
      this.#thread = undefined;
      this.#ready = false;
      if (this.#current !== undefined) {
        // A quick answer is checked before its schema is made ready, and costs the thread as well.
        if (this.#hasBegun) this.#givenUp.add(this.#current.organization, this.#current.schema);
        this.#settle('unchecked');
      }
      // One that cannot even begin would end again and again.
      if (!wasReady || this.#closed) this.#leaveAllUnchecked();
      else if (isWorn || this.#checks.size + this.#preparations.size > 0) {
        this.#thread = this.#startThread();
      }
    });
    return thread;
  }
}

/** Whether it is JSON can be told without the thread. */
function leaveUnchecked({ content, resolve }: Check): void {
  resolve(content === undefined || isJson(content) ? 'unchecked' : 'differs');
}
