import { Worker } from 'node:worker_threads';
import { type Logger, ThreadDeadline } from '@sluice/service';
import { CpuDeadline } from './cpu-deadline.ts';

/** The schema and the reply are text, because the thread parses both within its limit of CPU time. */
export interface SchemaCheckRequest {
  readonly text: string;
  readonly digest: string;
  /** If undefined, the schema is only prepared. */
  readonly content: string | undefined;
}

/**
 * - `ready`: replies can be checked against the schema.
 * - `unreadable`: no validator can be made of the schema, or the validator fails on every value.
 * - `too_costly`: the preparation takes more CPU time or memory than allowed.
 * - `unavailable`: the preparation was not tried, because the thread is too busy or cannot be started.
 */
export type SchemaPreparation = 'ready' | 'unreadable' | 'too_costly' | 'unavailable';

/** `unchecked`: the reply could not be checked. */
export type SchemaVerdict = 'matches' | 'differs' | 'unchecked';

export type SchemaThreadMessage =
  /** Sent once, when the thread has loaded and warmed up its modules. */
  | { readonly kind: 'ready' }
  /** A step of a check begins. Its limit of CPU time counts from here. */
  | { readonly kind: 'begun'; readonly step: 'prepare' | 'check'; readonly cpuMs: number }
  | {
      readonly kind: 'result';
      readonly preparation: 'ready' | 'unreadable';
      readonly verdict: SchemaVerdict;
      /** Characters of all schemas that the thread has compiled. */
      readonly compiled: number;
    };

/** Limit of wall time for a step to begin, and for a step whose thread gets no CPU time. */
const WALL_LIMIT_MS = 10_000;
/**
 * Node may abort the whole process when a thread exceeds this limit while it parses, so schemas are limited to a
 * fraction of it: https://nodejs.org/api/worker_threads.html#new-workerfilename-options
 */
const MAX_HEAP_MEBIBYTES = 512;

export interface SchemaThreadOptions {
  readonly logger: Logger;
  /** The thread can take the next check. */
  readonly onFree: () => void;
  /** The thread has ended. */
  readonly onExit: () => void;
}

/** Limits of CPU time for each step. */
export interface CpuLimits {
  readonly prepareMs: number;
  readonly checkMs: number;
}

export type CheckStep = 'prepare' | 'check';

export type CheckOutcome =
  | ({ readonly kind: 'settled' } & Omit<Extract<SchemaThreadMessage, { kind: 'result' }>, 'kind'>)
  /** The step took more CPU time or memory than allowed, and the thread ended. */
  | { readonly kind: 'too_costly'; readonly step: CheckStep }
  /** The thread ended for another reason. */
  | { readonly kind: 'lost' };

interface RunningCheck {
  readonly limits: CpuLimits;
  readonly onOutcome: (outcome: CheckOutcome) => void;
  step: CheckStep | undefined;
}

/**
 * A thread that runs one check at a time. A step cannot be interrupted, so a step that is too costly ends the thread.
 */
export class SchemaThread {
  readonly #options: SchemaThreadOptions;
  readonly #worker: Worker;
  #running: RunningCheck | undefined;
  #deadline: CpuDeadline | ThreadDeadline | undefined;
  #wasReady = false;
  #isEnding = false;

  constructor(options: SchemaThreadOptions) {
    this.#options = options;
    this.#worker = new Worker(new URL('./schema-thread-main.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MEBIBYTES },
    });
    this.#worker.unref();
    this.#worker.on('message', (message: SchemaThreadMessage) => this.#handle(message));
    this.#worker.on('error', (error) =>
      options.logger.error({ err: error }, 'the schema thread failed'),
    );
    this.#worker.once('exit', () => {
      // If `end` was not called, the thread ran out of memory.
      const step = this.#isEnding ? undefined : this.#running?.step;
      this.#settle(step === undefined ? { kind: 'lost' } : { kind: 'too_costly', step });
      options.onExit();
    });
  }

  /** Whether the thread has started successfully. */
  get wasReady(): boolean {
    return this.#wasReady;
  }

  get isFree(): boolean {
    return this.#wasReady && !this.#isEnding && this.#running === undefined;
  }

  /** Call it only while `isFree` is true. */
  run(
    request: SchemaCheckRequest,
    limits: CpuLimits,
    onOutcome: (outcome: CheckOutcome) => void,
  ): void {
    this.#running = { limits, onOutcome, step: undefined };
    this.#deadline = new ThreadDeadline(WALL_LIMIT_MS, () => this.#giveUp({ kind: 'lost' }));
    this.#worker.postMessage(request);
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#worker.terminate();
  }

  #handle(message: SchemaThreadMessage): void {
    if (message.kind === 'begun') {
      this.#begin(message);
      return;
    }
    if (message.kind === 'ready') this.#wasReady = true;
    else this.#settle({ ...message, kind: 'settled' });
    if (this.isFree) this.#options.onFree();
  }

  #begin({ step, cpuMs }: { readonly step: CheckStep; readonly cpuMs: number }): void {
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

  #giveUp(outcome: CheckOutcome): void {
    void this.end();
    this.#settle(outcome);
  }

  #settle(outcome: CheckOutcome): void {
    this.#deadline?.stop();
    const settled = this.#running;
    this.#running = undefined;
    settled?.onOutcome(outcome);
  }
}
