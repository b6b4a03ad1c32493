import { Worker } from 'node:worker_threads';
import type { Logger } from '@sluice/telemetry';
import { ThreadDeadline } from '@sluice/threads';
import type {
  SchemaCheckOrder,
  SchemaThreadMessage,
  SchemaVerdict,
} from './schema-thread-messages.ts';

/** For a thread that does not even begin. */
const BEGIN_LIMIT_MS = 5_000;
const MOST_HEAP_MEBIBYTES = 128;

export interface SchemaThreadOptions {
  readonly logger: Logger;
  /** It can take the next order. */
  readonly onFree: () => void;
  /** It is gone. */
  readonly onExit: () => void;
}

export type OrderOutcome =
  | {
      readonly kind: 'settled';
      readonly verdict: SchemaVerdict;
      /** Characters of all schemas that the thread has compiled. */
      readonly compiled: number;
    }
  /** The thread ended over it, or before it had begun with it. */
  | { readonly kind: 'lost'; readonly hasBegun: boolean };

interface RunningOrder {
  readonly limitMs: number;
  readonly onOutcome: (outcome: OrderOutcome) => void;
  hasBegun: boolean;
}

/** A thread that makes one check at a time. What takes too long cannot be interrupted: the thread is ended with it. */
export class SchemaThread {
  readonly #options: SchemaThreadOptions;
  readonly #worker: Worker;
  #running: RunningOrder | undefined;
  #deadline: ThreadDeadline | undefined;
  #wasReady = false;
  #isEnding = false;

  constructor(options: SchemaThreadOptions) {
    this.#options = options;
    this.#worker = new Worker(new URL('./schema-thread-main.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MEBIBYTES },
    });
    this.#worker.unref();
    this.#worker.on('message', (message: SchemaThreadMessage) => this.#hear(message));
    this.#worker.on('error', (error) =>
      options.logger.error({ err: error }, 'the schema thread broke'),
    );
    this.#worker.once('exit', () => {
      this.#settle({ kind: 'lost', hasBegun: this.#running?.hasBegun ?? false });
      options.onExit();
    });
  }

  /** Whether it has ever been able to take an order. */
  get wasReady(): boolean {
    return this.#wasReady;
  }

  get isFree(): boolean {
    return this.#wasReady && !this.#isEnding && this.#running === undefined;
  }

  /** To be called while it is free. The limit counts from when it begins with it. */
  run(order: SchemaCheckOrder, limitMs: number, onOutcome: (outcome: OrderOutcome) => void): void {
    this.#running = { limitMs, onOutcome, hasBegun: false };
    this.#endAfter(BEGIN_LIMIT_MS);
    this.#worker.postMessage(order);
  }

  /** Nothing is given to it any more, though it may still say something. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#worker.terminate();
  }

  #hear(message: SchemaThreadMessage): void {
    if (message.kind === 'begun') {
      if (this.#running === undefined) return;
      this.#running.hasBegun = true;
      this.#endAfter(this.#running.limitMs);
      return;
    }
    if (message.kind === 'ready') this.#wasReady = true;
    else this.#settle({ kind: 'settled', verdict: message.verdict, compiled: message.compiled });
    if (this.isFree) this.#options.onFree();
  }

  #endAfter(limitMs: number): void {
    this.#deadline?.stop();
    this.#deadline = new ThreadDeadline(limitMs, () => void this.end());
  }

  #settle(outcome: OrderOutcome): void {
    this.#deadline?.stop();
    const settled = this.#running;
    this.#running = undefined;
    settled?.onOutcome(outcome);
  }
}
