import type { Logger } from '@sluice/telemetry';
import { TurnQueue } from '@sluice/threads';
import { isJson, type JsonObject } from '../json/json.ts';
import { GivenUpSchemas } from './given-up-schemas.ts';
import type { SchemaVerdict } from './schema-thread-messages.ts';
import { SchemaThread } from './schema-thread.ts';

export interface SchemaCheckerOptions {
  readonly logger: Logger;
  readonly limitMs?: number;
  readonly prepareLimitMs?: number;
  readonly mostCompiled?: number;
}

const CHECK_LIMIT_MS = 100;
/** Nobody waits for it, but a check that comes meanwhile does. */
const PREPARE_LIMIT_MS = 500;
/** What waits is counted, whatever its size. */
const QUEUE_OPTIONS = { weigh: () => 1, most: 1_000, mostOfOne: 100 };
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
  readonly #checks = new TurnQueue<Check>(QUEUE_OPTIONS);
  readonly #preparations = new TurnQueue<Check>(QUEUE_OPTIONS);
  readonly #givenUp = new GivenUpSchemas(() => performance.now());
  #thread: SchemaThread | undefined;
  /** It has compiled so much that another takes its place. */
  #isWorn = false;
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
    await this.#thread?.end();
  }

  #work(): void {
    this.#thread ??= this.#startThread();
    if (!this.#thread.isFree) return;
    // Somebody waits for a check.
    const check = this.#take(this.#checks) ?? this.#take(this.#preparations);
    if (check !== undefined) this.#run(check, this.#thread);
  }

  /** The next one whose schema was not given up while it waited. */
  #take(queue: TurnQueue<Check>): Check | undefined {
    let next = queue.take();
    while (next !== undefined && this.#givenUp.has(next.organization, next.schema)) {
      leaveUnchecked(next);
      next = queue.take();
    }
    return next;
  }

  #run(check: Check, thread: SchemaThread): void {
    const { organization, schema, content } = check;
    const {
      limitMs = CHECK_LIMIT_MS,
      prepareLimitMs = PREPARE_LIMIT_MS,
      mostCompiled = MOST_COMPILED,
    } = this.#options;
    const limit = content === undefined ? prepareLimitMs : limitMs;
    thread.run({ schema, content }, limit, (outcome) => {
      // A quick answer is checked before its schema is made ready, and costs the thread as well.
      if (outcome.kind === 'lost' && outcome.hasBegun) this.#givenUp.add(organization, schema);
      this.#conclude(check, outcome.kind === 'lost' ? 'unchecked' : outcome.verdict);
      if (outcome.kind === 'settled' && outcome.compiled > mostCompiled) {
        this.#isWorn = true;
        void thread.end();
      }
    });
  }

  #conclude({ content, resolve }: Check, verdict: SchemaVerdict): void {
    if (verdict === 'unchecked' && content !== undefined) {
      this.#options.logger.warn('an answer could not be checked against its schema');
    }
    resolve(verdict);
  }

  #startThread(): SchemaThread {
    this.#isWorn = false;
    const thread = new SchemaThread({
      logger: this.#options.logger,
      onFree: () => this.#work(),
      onExit: () => this.#goOnAfter(thread),
    });
    return thread;
  }

  #goOnAfter(ended: SchemaThread): void {
    this.#thread = undefined;
    // One that cannot even begin would end again and again.
    if (!ended.wasReady || this.#closed) this.#leaveAllUnchecked();
    else if (this.#isWorn || !this.#checks.isEmpty || !this.#preparations.isEmpty) {
      this.#thread = this.#startThread();
    }
  }

  #leaveAllUnchecked(): void {
    while (this.#preparations.take() !== undefined);
    for (let check = this.#checks.take(); check !== undefined; check = this.#checks.take()) {
      check.resolve('unchecked');
    }
  }
}

/** Whether it is JSON can be told without the thread. */
function leaveUnchecked({ content, resolve }: Check): void {
  resolve(content === undefined || isJson(content) ? 'unchecked' : 'differs');
}
