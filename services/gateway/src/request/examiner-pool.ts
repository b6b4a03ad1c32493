import { exceedsValues } from '@sluice/contracts';
import { type Logger, RoundRobinQueue } from '@sluice/service';
import {
  availableAt,
  type BodyExaminer,
  type ExaminationContext,
  type ExaminedBody,
} from './body-examiner.ts';
import { bodyMemoryExhausted } from './byte-budget.ts';
import {
  type ExaminationTask,
  ExaminationThread,
  type ExaminationThreadOptions,
} from './examiner-thread.ts';

/** One thread that validates one body at a time. If the thread has ended, the next body starts a new one. */
class ExaminerSlot implements AsyncDisposable {
  readonly #options: ExaminationThreadOptions;
  #thread: ExaminationThread | undefined;

  constructor(options: ExaminationThreadOptions) {
    this.#options = options;
  }

  /** Calls `task` once the thread is ready. Rejects if the thread fails for a reason other than the body. */
  async examine(task: () => ExaminationTask): Promise<ExaminedBody> {
    const thread = (this.#thread ??= new ExaminationThread(this.#options));
    try {
      return await thread.examine(task);
    } finally {
      if (thread.ended) this.#thread = undefined;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread?.[Symbol.asyncDispose]();
  }
}

export interface ThreadedExaminerOptions {
  /** Validates the bodies that are quick to validate, for which the round trip to a thread would take longer. */
  readonly direct: BodyExaminer;
  /** Larger bodies are always validated in a thread. */
  readonly directLimitBytes: number;
  readonly wallClock: () => number;
  readonly logger: Logger;
  /** With a single thread, one slow body would delay all others. */
  readonly threads: number;
  readonly limitMs: number;
  readonly heapMebibytes: number;
  /** Replaces the real thread in tests. */
  readonly threadFile?: URL;
}

/** Any body up to this size is quick to validate. */
export const QUICK_BYTES = 16_384;
/**
 * A larger body is quick to validate if it has at most this many JSON values. An ordinary body has a fraction of this
 * number, and a body that is built to be slow has a multiple of it.
 */
export const QUICK_VALUES = 8_192;
const MEBIBYTE = 1_024 * 1_024;
/** The memory of the bodies that wait for a thread is limited. Their number is not. */
const MAX_WAITING_BYTES = 256 * MEBIBYTE;
const MAX_WAITING_BYTES_PER_ORGANIZATION = 64 * MEBIBYTE;
/** Estimated memory of a request besides its body: its connection, headers and pending promises. */
const BYTES_BESIDE_BODY = 32 * 1_024;

interface Waiting {
  readonly body: Buffer;
  readonly context: ExaminationContext;
  readonly outcome: PromiseWithResolvers<ExaminedBody>;
}

/** Validates large bodies in threads, so that they do not block the event loop. */
export class ThreadedExaminer implements BodyExaminer, AsyncDisposable {
  readonly #options: ThreadedExaminerOptions;
  readonly #slots: readonly ExaminerSlot[];
  readonly #free: ExaminerSlot[];
  readonly #queue = new RoundRobinQueue<Waiting>({
    weigh: ({ body }) => body.length + BYTES_BESIDE_BODY,
    maxWeight: MAX_WAITING_BYTES,
    maxWeightPerOrganization: MAX_WAITING_BYTES_PER_ORGANIZATION,
  });

  constructor(options: ThreadedExaminerOptions) {
    this.#options = options;
    const {
      threads,
      limitMs,
      heapMebibytes,
      threadFile = new URL('./examiner-thread-main.ts', import.meta.url),
      logger,
    } = options;
    this.#slots = Array.from(
      { length: threads },
      () => new ExaminerSlot({ threadFile, limitMs, heapMebibytes, logger }),
    );
    this.#free = [...this.#slots];
  }

  /** Rejects with the signal's reason once it aborts, whether or not the validation has started. */
  async examine(body: Buffer, context: ExaminationContext): Promise<ExaminedBody> {
    if (this.#isQuick(body)) return this.#options.direct.examine(body, context);
    const { organization, signal } = context;
    signal?.throwIfAborted();
    const waiting: Waiting = { body, context, outcome: Promise.withResolvers() };
    if (!this.#queue.add(organization, waiting)) throw bodyMemoryExhausted();
    const onAbort = () => this.#abort(waiting);
    signal?.addEventListener('abort', onAbort);
    this.#fillSlots();
    try {
      return await waiting.outcome.promise;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#slots.map((slot) => slot[Symbol.asyncDispose]()));
  }

  #isQuick(body: Buffer): boolean {
    if (body.length > this.#options.directLimitBytes) return false;
    return body.length <= QUICK_BYTES || !exceedsValues(body, QUICK_VALUES);
  }

  #abort(waiting: Waiting): void {
    const { organization, signal } = waiting.context;
    this.#queue.delete(organization, waiting);
    waiting.outcome.reject(signal?.reason);
  }

  #fillSlots(): void {
    while (this.#free.length > 0) {
      const waiting = this.#queue.take();
      if (waiting === undefined) return;
      const slot = this.#free.pop();
      if (slot !== undefined) void this.#examineIn(slot, waiting);
    }
  }

  async #examineIn(slot: ExaminerSlot, waiting: Waiting): Promise<void> {
    try {
      waiting.outcome.resolve(await slot.examine(() => this.#taskOf(waiting)));
    } catch (error) {
      waiting.outcome.reject(error);
    } finally {
      this.#free.push(slot);
      this.#fillSlots();
    }
  }

  #taskOf({ body, context: { organization, modelList } }: Waiting): ExaminationTask {
    const models = availableAt(this.#options.wallClock(), modelList);
    return { body: ownedBuffer(body), organization, models };
  }
}

/** Returns memory that only this body uses, so that it can be transferred to a thread. */
function ownedBuffer(body: Buffer): ArrayBuffer {
  const { buffer, byteOffset, byteLength } = body;
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) return buffer;
  const copy = new ArrayBuffer(byteLength);
  new Uint8Array(copy).set(new Uint8Array(buffer, byteOffset, byteLength));
  return copy;
}
