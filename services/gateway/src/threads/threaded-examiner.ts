import { Worker } from 'node:worker_threads';
import { ServiceError } from '@sluice/contracts';
import type { Logger } from '@sluice/telemetry';
import type { BodyExaminer, ExaminationContext, ExaminedBody } from '../domain/body-examiner.ts';
import type { ExaminationOrder, ExaminationResult } from './examination-messages.ts';

export interface ThreadedExaminerOptions {
  /** For bodies up to this size: a thread's round trip takes longer than they do. */
  readonly direct: BodyExaminer;
  readonly directLimitBytes: number;
  readonly wallClock: () => number;
  readonly logger: Logger;
}

const MAXIMUM_PENDING = 64;
const MAXIMUM_HEAP_MEBIBYTES = 512;
const RETRY_AFTER_MS = 1_000;

interface Pending {
  readonly resolve: (examined: ExaminedBody) => void;
  readonly reject: (error: Error) => void;
}

/** Examines large bodies in a thread, so that one of them never holds up the others' events. */
export class ThreadedExaminer implements BodyExaminer, AsyncDisposable {
  readonly #options: ThreadedExaminerOptions;
  readonly #pending = new Map<number, Pending>();
  #thread: Worker | undefined;
  #lastId = 0;

  constructor(options: ThreadedExaminerOptions) {
    this.#options = options;
  }

  examine(body: Buffer, context: ExaminationContext): Promise<ExaminedBody> {
    const { direct, directLimitBytes } = this.#options;
    if (body.length <= directLimitBytes) return direct.examine(body, context);
    if (this.#pending.size >= MAXIMUM_PENDING) return Promise.reject(tooMany());
    return this.#examineInThread(body, context);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread?.terminate();
  }

  #examineInThread(
    body: Buffer,
    { organization, shelf }: ExaminationContext,
  ): Promise<ExaminedBody> {
    const { promise, resolve, reject } = Promise.withResolvers<ExaminedBody>();
    this.#lastId += 1;
    const order: ExaminationOrder = {
      id: this.#lastId,
      body: ownedBuffer(body),
      organization,
      models: shelf?.available(this.#options.wallClock()),
    };
    this.#pending.set(order.id, { resolve, reject });
    this.#thread ??= this.#startThread();
    this.#thread.postMessage(order, [order.body]);
    return promise;
  }

  #startThread(): Worker {
    const thread = new Worker(new URL('./examination-thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MAXIMUM_HEAP_MEBIBYTES },
    });
    thread.unref();
    thread.on('message', ({ id, body, examination }: ExaminationResult) => {
      const pending = this.#pending.get(id);
      this.#pending.delete(id);
      pending?.resolve({ examination, body: new Uint8Array(body) });
    });
    thread.on('error', (error) => this.#options.logger.error({ err: error }, 'a thread broke'));
    // The next large body starts another one.
    thread.once('exit', () => {
      if (this.#thread === thread) this.#thread = undefined;
      const lost = [...this.#pending.values()];
      this.#pending.clear();
      for (const { reject } of lost) reject(new Error('the examination thread ended'));
    });
    return thread;
  }
}

/** Memory that is this body's alone, and so can be moved. */
function ownedBuffer(body: Buffer): ArrayBuffer {
  const { buffer, byteOffset, byteLength } = body;
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) return buffer;
  const copy = new ArrayBuffer(byteLength);
  new Uint8Array(copy).set(new Uint8Array(buffer, byteOffset, byteLength));
  return copy;
}

function tooMany(): ServiceError {
  return new ServiceError(
    'service_unavailable',
    'Too many large requests are being read at the moment. Please retry.',
    { retryable: true, retryAfterMs: RETRY_AFTER_MS },
  );
}
