import { Worker } from 'node:worker_threads';
import type { Logger } from '@sluice/telemetry';
import { ThreadDeadline } from '@sluice/threads';
import { CpuDeadline } from './cpu-deadline.ts';
import type { SchemaCheckOrder, SchemaThreadMessage } from './schema-thread-messages.ts';

/** For a step of a thread that gets no CPU time, or does not begin. */
const WALL_LIMIT_MS = 10_000;
/** Node ends the whole process when a thread exceeds this while it parses: texts are bounded to a fraction of it. */
const MAXIMUM_HEAP_MEBIBYTES = 512;

export interface SchemaThreadOptions {
  readonly logger: Logger;
  /** It can take the next order. */
  readonly onFree: () => void;
  /** It is gone. */
  readonly onExit: () => void;
}

/** CPU time of the thread, by step. */
export interface CpuLimits {
  readonly prepareMs: number;
  readonly checkMs: number;
}

export type OrderStep = 'prepare' | 'check';

export type OrderOutcome =
  | ({ readonly kind: 'settled' } & Omit<Extract<SchemaThreadMessage, { kind: 'result' }>, 'kind'>)
  /** The step took more CPU time or memory than allowed, and the thread ended over it. */
  | { readonly kind: 'too_costly'; readonly step: OrderStep }
  /** The thread ended for another reason. */
  | { readonly kind: 'lost' };

interface RunningOrder {
  readonly limits: CpuLimits;
  readonly onOutcome: (outcome: OrderOutcome) => void;
  step: OrderStep | undefined;
}

/** A thread that runs one order at a time. A step that is too costly cannot be interrupted: the thread ends with it. */
export class SchemaThread {
  readonly #options: SchemaThreadOptions;
  readonly #worker: Worker;
  #running: RunningOrder | undefined;
  #deadline: CpuDeadline | ThreadDeadline | undefined;
  #wasReady = false;
  #isEnding = false;

  constructor(options: SchemaThreadOptions) {
    this.#options = options;
    this.#worker = new Worker(new URL('./schema-thread-main.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MAXIMUM_HEAP_MEBIBYTES },
    });
    this.#worker.unref();
    this.#worker.on('message', (message: SchemaThreadMessage) => this.#hear(message));
    this.#worker.on('error', (error) =>
      options.logger.error({ err: error }, 'the schema thread broke'),
    );
    this.#worker.once('exit', () => {
      // A thread that nothing has ended has run out of memory.
      const step = this.#isEnding ? undefined : this.#running?.step;
      this.#settle(step === undefined ? { kind: 'lost' } : { kind: 'too_costly', step });
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

  /** To be called while it is free. */
  run(
    order: SchemaCheckOrder,
    limits: CpuLimits,
    onOutcome: (outcome: OrderOutcome) => void,
  ): void {
    this.#running = { limits, onOutcome, step: undefined };
    this.#deadline = new ThreadDeadline(WALL_LIMIT_MS, () => this.#giveUp({ kind: 'lost' }));
    this.#worker.postMessage(order);
  }

  /** Nothing is given to it any more, though it may still say something. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#worker.terminate();
  }

  #hear(message: SchemaThreadMessage): void {
    if (message.kind === 'begun') {
      this.#begin(message);
      return;
    }
    if (message.kind === 'ready') this.#wasReady = true;
    else this.#settle({ ...message, kind: 'settled' });
    if (this.isFree) this.#options.onFree();
  }

  #begin({ step, cpuMs }: { readonly step: OrderStep; readonly cpuMs: number }): void {
    const running = this.#running;
    if (running === undefined) return;
    running.step = step;
    this.#deadline?.stop();
    const { prepareMs, checkMs } = running.limits;
    const limitMs = step === 'prepare' ? prepareMs : checkMs;
    const limits = { beganAtMs: cpuMs, cpuMs: limitMs, wallMs: WALL_LIMIT_MS };
    this.#deadline = new CpuDeadline(this.#worker, limits, (missed) =>
      this.#giveUp(missed === 'cpu' ? { kind: 'too_costly', step } : { kind: 'lost' }),
    );
  }

  #giveUp(outcome: OrderOutcome): void {
    void this.end();
    this.#settle(outcome);
  }

  #settle(outcome: OrderOutcome): void {
    this.#deadline?.stop();
    const settled = this.#running;
    this.#running = undefined;
    settled?.onOutcome(outcome);
  }
}
