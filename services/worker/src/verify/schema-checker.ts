import { SCHEMA_LIMITS } from '@sluice/contracts';
import type { Logger } from '@sluice/telemetry';
import { TurnQueue } from '@sluice/threads';
import type { SchemaText } from '../dialect/schema-text.ts';
import { isJson } from '../json/json.ts';
import { KnownSchemas } from './known-schemas.ts';
import type { SchemaPreparation, SchemaVerdict } from './schema-thread-messages.ts';
import { SchemaThread, type OrderOutcome, type CpuLimits } from './schema-thread.ts';

export interface SchemaCheckerOptions {
  readonly logger: Logger;
  readonly limits?: CpuLimits;
  readonly maximumCompiled?: number;
}

/** Counted whatever its size: replies are held by their attempts anyway, and those are bounded by slots. */
const CHECKS_QUEUE = { weigh: () => 1, most: 4_000, mostOfOne: 1_000 };
/** Each holds a slot of the runtime until its turn comes: with 500 ms of CPU time each, eight hold theirs for 4 s. */
const PREPARATIONS_QUEUE = { weigh: () => 1, most: 1_000, mostOfOne: 8 };
/** A thread is replaced long before what its compilers keep fills its memory. */
const MAXIMUM_COMPILED = 1_000_000;

const { maximumCharacters } = SCHEMA_LIMITS;

interface Order {
  readonly organization: string;
  readonly schema: SchemaText;
  readonly content: string | undefined;
  readonly resolve: (conclusion: Conclusion) => void;
}

interface Conclusion {
  readonly preparation: SchemaPreparation;
  readonly verdict: SchemaVerdict;
}

/**
 * Checks replies against their schemas in a thread, one at a time, each within a limit of CPU time: schemas come from
 * clients. A schema is prepared before its reply is generated, so that one that cannot be checked is refused by then; a
 * reply that could not be checked all the same is no reply.
 */
export class SchemaChecker implements AsyncDisposable {
  readonly #options: SchemaCheckerOptions;
  readonly #checks = new TurnQueue<Order>(CHECKS_QUEUE);
  readonly #preparations = new TurnQueue<Order>(PREPARATIONS_QUEUE);
  readonly #known = new KnownSchemas(() => performance.now());
  /** By organization and digest: many requests with a new schema wait for one preparation. */
  readonly #preparing = new Map<string, Promise<SchemaPreparation>>();
  #thread: SchemaThread | undefined;
  /** It has compiled so much that another takes its place. */
  #isWorn = false;
  #closed = false;

  constructor(options: SchemaCheckerOptions) {
    this.#options = options;
  }

  /** Whether replies can be checked against this schema. A schema that is known takes no turn in the thread. */
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
    const order = { organization, schema, content };
    const { verdict } = await this.#queue(this.#checks, order);
    if (verdict === 'unchecked') {
      this.#options.logger.warn('an answer could not be checked against its schema');
    }
    return verdict;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#abandonAll();
    await this.#thread?.end();
  }

  async #startPreparing(organization: string, schema: SchemaText): Promise<SchemaPreparation> {
    const order = { organization, schema, content: undefined };
    return (await this.#queue(this.#preparations, order)).preparation;
  }

  #queue(queue: TurnQueue<Order>, order: Omit<Order, 'resolve'>): Promise<Conclusion> {
    const { promise, resolve } = Promise.withResolvers<Conclusion>();
    const waiting = { ...order, resolve };
    const isTooLong = order.schema.text.length > maximumCharacters;
    const isQueued = !isTooLong && !this.#closed && queue.add(order.organization, waiting);
    if (isQueued) this.#work();
    else abandon(waiting, isTooLong ? 'too_costly' : 'unavailable');
    return promise;
  }

  #work(): void {
    this.#thread ??= this.#startThread();
    if (!this.#thread.isFree) return;
    const order = this.#take(this.#checks) ?? this.#take(this.#preparations);
    if (order !== undefined) this.#run(order, this.#thread);
  }

  /** The next one that the thread has to be asked about. */
  #take(queue: TurnQueue<Order>): Order | undefined {
    for (let order = queue.take(); order !== undefined; order = queue.take()) {
      const known = this.#known.find(order.organization, order.schema.digest);
      const isKnown = known !== undefined && (order.content === undefined || known !== 'ready');
      if (!isKnown) return order;
      abandon(order, known);
    }
    return undefined;
  }

  #run(order: Order, thread: SchemaThread): void {
    const { limits = SCHEMA_LIMITS, maximumCompiled = MAXIMUM_COMPILED } = this.#options;
    const { schema, content } = order;
    thread.run({ ...schema, content }, limits, (outcome) => {
      this.#note(order, outcome);
      if (outcome.kind !== 'settled') {
        abandon(order, outcome.kind === 'lost' ? 'unavailable' : 'too_costly');
        return;
      }
      order.resolve(outcome);
      if (outcome.compiled > maximumCompiled) {
        this.#isWorn = true;
        void thread.end();
      }
    });
  }

  #note({ organization, schema: { digest } }: Order, outcome: OrderOutcome): void {
    if (outcome.kind === 'settled') this.#known.notePreparation(digest, outcome.preparation);
    else if (outcome.kind === 'too_costly') {
      if (outcome.step === 'check') this.#known.noteCostlyCheck(organization, digest);
      else this.#known.notePreparation(digest, 'too_costly');
    }
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
    if (!ended.wasReady || this.#closed) this.#abandonAll();
    else if (this.#isWorn || !this.#checks.isEmpty || !this.#preparations.isEmpty) {
      this.#thread = this.#startThread();
    }
  }

  #abandonAll(): void {
    for (const queue of [this.#checks, this.#preparations]) {
      for (let order = queue.take(); order !== undefined; order = queue.take()) {
        abandon(order, 'unavailable');
      }
    }
  }
}

/** Whether a reply is JSON can be told without the thread. */
function abandon({ content, resolve }: Order, preparation: SchemaPreparation): void {
  const differs = content !== undefined && !isJson(content);
  resolve({ preparation, verdict: differs ? 'differs' : 'unchecked' });
}
