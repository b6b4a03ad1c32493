import { Worker } from 'node:worker_threads';
import { type Logger, ThreadDeadline } from '@sluice/service';
import type { ExaminedBody } from './body-examiner.ts';
import {
  TOO_EXPENSIVE_TO_READ,
  findModel,
  type AvailableModels,
  type Examination,
  type FoundModel,
} from './examine-request.ts';

/**
 * Messages to the thread. Bodies are transferred, not copied. The thread requests the one model that a body names,
 * because copying all models would take longer than most validations.
 */
export type ExaminationCommand =
  | { readonly kind: 'examine'; readonly body: ArrayBuffer; readonly organization: string }
  | { readonly kind: 'found'; readonly found: FoundModel };

/** Messages from the thread. `ready` comes once: the time limit of a body begins only after the thread has loaded. */
export type ExaminationReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'model_wanted'; readonly id: string }
  | { readonly kind: 'examined'; readonly body: ArrayBuffer; readonly examination: Examination };

export interface ExaminationThreadOptions {
  readonly threadFile: URL;
  /** Time limit for one body. A thread that exceeds it is terminated. */
  readonly limitMs: number;
  readonly heapMebibytes: number;
  readonly logger: Logger;
}

export interface ExaminationTask {
  /** Memory that can be transferred. */
  readonly body: ArrayBuffer;
  readonly organization: string;
  /** Undefined if the catalog was unreachable. */
  readonly models: AvailableModels | undefined;
}

interface CurrentTask {
  readonly models: AvailableModels | undefined;
  readonly outcome: PromiseWithResolvers<ExaminedBody>;
}

/** A thread that validates bodies. If a body takes too long or too much memory, the thread ends. */
export class ExaminationThread implements AsyncDisposable {
  readonly #options: ExaminationThreadOptions;
  readonly #worker: Worker;
  readonly #ready = Promise.withResolvers<void>();
  #current: CurrentTask | undefined;
  #ranOutOfMemory = false;
  ended = false;

  constructor(options: ExaminationThreadOptions) {
    this.#options = options;
    this.#worker = new Worker(options.threadFile, {
      resourceLimits: { maxOldGenerationSizeMb: options.heapMebibytes },
    });
    this.#worker.unref();
    // If the thread ends while no task waits for it, nothing else handles this rejection.
    this.#ready.promise.catch(() => undefined);
    this.#worker.on('message', (report: ExaminationReport) => this.#onReport(report));
    this.#worker.on('error', (error: NodeJS.ErrnoException) => {
      this.#ranOutOfMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      options.logger.error({ err: error }, 'an examination thread failed');
    });
    this.#worker.once('exit', () => this.#noteExit());
  }

  /** Calls `task` once the thread is ready. */
  async examine(task: () => ExaminationTask): Promise<ExaminedBody> {
    await this.#ready.promise;
    const outcome = Promise.withResolvers<ExaminedBody>();
    const { body, organization, models } = task();
    this.#current = { models, outcome };
    const deadline = new ThreadDeadline(this.#options.limitMs, () => this.#terminateOverdue());
    this.#send({ kind: 'examine', body, organization }, [body]);
    try {
      return await outcome.promise;
    } finally {
      deadline.stop();
      this.#current = undefined;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }

  #send(command: ExaminationCommand, transferred: readonly ArrayBuffer[] = []): void {
    this.#worker.postMessage(command, transferred);
  }

  #onReport(report: ExaminationReport): void {
    if (report.kind === 'ready') this.#ready.resolve();
    else if (report.kind === 'model_wanted') {
      this.#send({ kind: 'found', found: findModel(report.id, this.#current?.models) });
    } else {
      const { body, examination } = report;
      this.#current?.outcome.resolve({ examination, body: new Uint8Array(body) });
    }
  }

  #terminateOverdue(): void {
    this.ended = true;
    this.#options.logger.warn('a body took too long to examine, and its thread was terminated');
    this.#current?.outcome.resolve(tooExpensiveToRead());
    void this.#worker.terminate();
  }

  #noteExit(): void {
    this.ended = true;
    const broken = new Error('the examination thread ended');
    this.#ready.reject(broken);
    if (this.#ranOutOfMemory) this.#current?.outcome.resolve(tooExpensiveToRead());
    else this.#current?.outcome.reject(broken);
  }
}

function tooExpensiveToRead(): ExaminedBody {
  return { body: new Uint8Array(), examination: { ok: false, fault: TOO_EXPENSIVE_TO_READ } };
}
