import { SCHEMA_LIMITS } from '@sluice/contracts';
import { type Logger, RoundRobinQueue } from '@sluice/service';
import type { SchemaText } from '../dialects/schema-text.ts';
import { isJson } from '../json/json.ts';
import { KnownSchemas } from './known-schemas.ts';
import {
  type SchemaPreparation,
  type SchemaVerdict,
  SchemaThread,
  type CheckOutcome,
  type CpuLimits,
} from './schema-thread.ts';

export interface SchemaCheckerOptions {
  readonly logger: Logger;
  readonly limits?: CpuLimits;
  readonly maxCompiled?: number;
}

/**
 * Limits the number of waiting replies and not their size. The attempts hold their replies in memory anyway, and the
 * slots limit the number of attempts.
 */
const CHECKS_QUEUE = { weigh: () => 1, maxWeight: 4_000, maxWeightPerOrganization: 1_000 };
/**
 * Each waiting preparation holds a slot. Eight preparations of one organization take at most 4 s, with 500 ms of CPU
 * time for each.
 */
const PREPARATIONS_QUEUE = { weigh: () => 1, maxWeight: 1_000, maxWeightPerOrganization: 8 };
/** After compiling this many characters, the thread is replaced, because its compilers never release all memory. */
const MAX_COMPILED = 1_000_000;

const { maximumCharacters } = SCHEMA_LIMITS;

interface QueuedCheck {
  readonly organization: string;
  readonly schema: SchemaText;
  /** The reply. If undefined, the schema is only prepared. */
  readonly content: string | undefined;
  readonly resolve: (conclusion: Conclusion) => void;
}

interface Conclusion {
  readonly preparation: SchemaPreparation;
  readonly verdict: SchemaVerdict;
}

/**
 * Checks replies against their schemas in a thread, one at a time. CPU time is limited, because schemas come from
 * clients. A schema is prepared before its reply is generated, so that a request with an unusable schema is refused
 * early. If a reply still cannot be checked, its attempt fails.
 */
export class SchemaChecker implements AsyncDisposable {
  readonly #options: SchemaCheckerOptions;
  readonly #checks = new RoundRobinQueue<QueuedCheck>(CHECKS_QUEUE);
  readonly #preparations = new RoundRobinQueue<QueuedCheck>(PREPARATIONS_QUEUE);
  readonly #known = new KnownSchemas(() => performance.now());
  /** Preparations in progress, by digest and organization. Concurrent requests with the same new schema share one. */
  readonly #preparing = new Map<string, Promise<SchemaPreparation>>();
  #thread: SchemaThread | undefined;
  /** The thread has compiled so much that it must be replaced. */
  #needsReplacement = false;
  #closed = false;

  constructor(options: SchemaCheckerOptions) {
    this.#options = options;
  }

  /** Whether replies can be checked against this schema. A known schema does not wait for the thread. */
  async prepare(organization: string, schema: SchemaText): Promise<SchemaPreparation> {
    if (schema.text.length > maximumCharacters) return 'too_costly';
    const known = this.#known.find(organization, schema.digest);
    if (known !== undefined) return known;
    const key = `${schema.digest} ${organization}`;
    const preparing = this.#preparing.get(key) ?? this.#startPreparing(organization, schema);
    this.#preparing.set(key, preparing);
    try {
      return await preparing;
    } finally {
      this.#preparing.delete(key);
    }
  }

  /** Whether the reply is JSON that matches the schema. */
  async check(organization: string, schema: SchemaText, content: string): Promise<SchemaVerdict> {
    const check = { organization, schema, content };
    const { verdict } = await this.#queue(this.#checks, check);
    if (verdict === 'unchecked') {
      this.#options.logger.warn('a reply could not be checked against its schema');
    }
    return verdict;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#giveUpAll();
    await this.#thread?.end();
  }

  async #startPreparing(organization: string, schema: SchemaText): Promise<SchemaPreparation> {
    const check = { organization, schema, content: undefined };
    return (await this.#queue(this.#preparations, check)).preparation;
  }

  #queue(
    queue: RoundRobinQueue<QueuedCheck>,
    check: Omit<QueuedCheck, 'resolve'>,
  ): Promise<Conclusion> {
    const { promise, resolve } = Promise.withResolvers<Conclusion>();
    const waiting = { ...check, resolve };
    const isTooLong = check.schema.text.length > maximumCharacters;
    const isQueued = !isTooLong && !this.#closed && queue.add(check.organization, waiting);
    if (isQueued) this.#work();
    else concludeUnchecked(waiting, isTooLong ? 'too_costly' : 'unavailable');
    return promise;
  }

  #work(): void {
    this.#thread ??= this.#startThread();
    if (!this.#thread.isFree) return;
    const check = this.#take(this.#checks) ?? this.#take(this.#preparations);
    if (check !== undefined) this.#run(check, this.#thread);
  }

  /** Removes the next check that needs the thread. Checks whose result is already known are settled on the way. */
  #take(queue: RoundRobinQueue<QueuedCheck>): QueuedCheck | undefined {
    for (let check = queue.take(); check !== undefined; check = queue.take()) {
      const known = this.#known.find(check.organization, check.schema.digest);
      const isKnown = known !== undefined && (check.content === undefined || known !== 'ready');
      if (!isKnown) return check;
      concludeUnchecked(check, known);
    }
    return undefined;
  }

  #run(check: QueuedCheck, thread: SchemaThread): void {
    const { limits = SCHEMA_LIMITS, maxCompiled = MAX_COMPILED } = this.#options;
    const { schema, content } = check;
    thread.run({ ...schema, content }, limits, (outcome) => {
      this.#note(check, outcome);
      if (outcome.kind !== 'settled') {
        concludeUnchecked(check, outcome.kind === 'lost' ? 'unavailable' : 'too_costly');
        return;
      }
      check.resolve(outcome);
      if (outcome.compiled > maxCompiled) {
        this.#needsReplacement = true;
        void thread.end();
      }
    });
  }

  #note({ organization, schema: { digest } }: QueuedCheck, outcome: CheckOutcome): void {
    if (outcome.kind === 'settled') this.#known.notePreparation(digest, outcome.preparation);
    else if (outcome.kind === 'too_costly') {
      if (outcome.step === 'check') this.#known.noteCostlyCheck(organization, digest);
      else this.#known.notePreparation(digest, 'too_costly');
    }
  }

  #startThread(): SchemaThread {
    this.#needsReplacement = false;
    const thread = new SchemaThread({
      logger: this.#options.logger,
      onFree: () => this.#work(),
      onExit: () => this.#replace(thread),
    });
    return thread;
  }

  #replace(ended: SchemaThread): void {
    this.#thread = undefined;
    // If the thread could not start, another one would fail too.
    if (!ended.wasReady || this.#closed) this.#giveUpAll();
    else if (this.#needsReplacement || !this.#checks.isEmpty || !this.#preparations.isEmpty) {
      this.#thread = this.#startThread();
    }
  }

  #giveUpAll(): void {
    for (const queue of [this.#checks, this.#preparations]) {
      for (let check = queue.take(); check !== undefined; check = queue.take()) {
        concludeUnchecked(check, 'unavailable');
      }
    }
  }
}

/** Concludes a check without the thread. A reply that is not JSON differs from any schema. */
function concludeUnchecked(
  { content, resolve }: QueuedCheck,
  preparation: SchemaPreparation,
): void {
  const differs = content !== undefined && !isJson(content);
  resolve({ preparation, verdict: differs ? 'differs' : 'unchecked' });
}
