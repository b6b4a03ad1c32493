import { Worker } from 'node:worker_threads';
import type { Logger } from '@sluice/telemetry';
import { ThreadDeadline } from '@sluice/threads';
import type { ExaminedBody } from '../domain/body-examiner.ts';
import { TOO_MUCH_WORK, findModel, type AvailableModels } from '../domain/examine-request.ts';
import type { ExaminationOrder, ExaminationReport } from './examination-thread-messages.ts';

export interface ExaminationThreadOptions {
  readonly threadFile: URL;
  /** For one body. The thread that is still at it is ended. */
  readonly limitMs: number;
  readonly heapMebibytes: number;
  readonly logger: Logger;
}

export interface ExaminationTask {
  /** Memory that can be moved. */
  readonly body: ArrayBuffer;
  readonly organization: string;
  /** Undefined when the catalog could not be asked. */
  readonly models: AvailableModels | undefined;
}

interface CurrentTask {
  readonly models: AvailableModels | undefined;
  readonly outcome: PromiseWithResolvers<ExaminedBody>;
}

/** A thread that examines bodies until one is too much for it: what takes too long is ended with the thread. */
export class ExaminationThread implements AsyncDisposable {
  readonly #options: ExaminationThreadOptions;
  readonly #worker: Worker;
  readonly #ready = Promise.withResolvers<void>();
  #current: CurrentTask | undefined;
  /** It asked for more memory than it may have. */
  #outgrown = false;
  over = false;

  constructor(options: ExaminationThreadOptions) {
    this.#options = options;
    this.#worker = new Worker(options.threadFile, {
      resourceLimits: { maxOldGenerationSizeMb: options.heapMebibytes },
    });
    this.#worker.unref();
    this.#ready.promise.catch(() => undefined);
    this.#worker.on('message', (report: ExaminationReport) => this.#take(report));
    this.#worker.on('error', (error: NodeJS.ErrnoException) => {
      this.#outgrown = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      options.logger.error({ err: error }, 'an examination thread broke');
    });
    this.#worker.once('exit', () => this.#noteExit());
  }

  async examine(task: () => ExaminationTask): Promise<ExaminedBody> {
    await this.#ready.promise;
    const outcome = Promise.withResolvers<ExaminedBody>();
    const { body, organization, models } = task();
    this.#current = { models, outcome };
    const deadline = new ThreadDeadline(this.#options.limitMs, () => this.#giveUp());
    this.#order({ kind: 'examine', body, organization }, [body]);
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

  #order(order: ExaminationOrder, moved: readonly ArrayBuffer[] = []): void {
    this.#worker.postMessage(order, moved);
  }

  #take(report: ExaminationReport): void {
    if (report.kind === 'ready') this.#ready.resolve();
    else if (report.kind === 'model_wanted') {
      this.#order({ kind: 'found', found: findModel(report.id, this.#current?.models) });
    } else {
      const { body, examination } = report;
      this.#current?.outcome.resolve({ examination, body: new Uint8Array(body) });
    }
  }

  #giveUp(): void {
    this.over = true;
    this.#options.logger.warn('a body took too long to examine, and its thread was ended');
    this.#current?.outcome.resolve(tooMuchWork());
    void this.#worker.terminate();
  }

  #noteExit(): void {
    this.over = true;
    const broken = new Error('the examination thread ended');
    this.#ready.reject(broken);
    if (this.#outgrown) this.#current?.outcome.resolve(tooMuchWork());
    else this.#current?.outcome.reject(broken);
  }
}

function tooMuchWork(): ExaminedBody {
  return { body: new Uint8Array(), examination: { ok: false, fault: TOO_MUCH_WORK } };
}
