import { exceedsValues } from '@sluice/contracts';
import type { Logger } from '@sluice/telemetry';
import { TurnQueue } from '@sluice/threads';
import {
  availableAt,
  type BodyExaminer,
  type ExaminationContext,
  type ExaminedBody,
} from '../domain/body-examiner.ts';
import { crowdedError } from '../domain/crowded-error.ts';
import { ExaminationLane } from './examination-lane.ts';
import type { ExaminationTask } from './examination-thread.ts';

export interface ThreadedExaminerOptions {
  /** For quick bodies up to this size: a thread's round trip takes longer than they do. */
  readonly direct: BodyExaminer;
  readonly directLimitBytes: number;
  readonly wallClock: () => number;
  readonly logger: Logger;
  /** More than one, or a body that takes its time holds up all others. */
  readonly threads: number;
  readonly limitMs: number;
  readonly heapMebibytes: number;
  /** Another thread than the real one, to see what becomes of a body that is never done. */
  readonly threadFile?: URL;
}

/** Up to here any body is quick, whatever is in it. */
export const QUICK_BYTES = 16_384;
/** A body of ordinary tools and messages has a fraction of this, one that is made to be slow many times. */
export const QUICK_VALUES = 8_192;
const MEBIBYTE = 1_024 * 1_024;
/** What waits is bounded by the memory that it takes: everything short of that has its turn. */
const MOST_WAITING_BYTES = 256 * MEBIBYTE;
const MOST_WAITING_BYTES_OF_ONE = 64 * MEBIBYTE;
/** What a request holds beside its body: its connection, its headers, and those who wait for it. */
const BYTES_BESIDE_BODY = 32 * 1_024;

interface Waiting {
  readonly body: Buffer;
  readonly context: ExaminationContext;
  readonly outcome: PromiseWithResolvers<ExaminedBody>;
}

/** Examines large bodies in threads, so that one of them never holds up the others' events. */
export class ThreadedExaminer implements BodyExaminer, AsyncDisposable {
  readonly #options: ThreadedExaminerOptions;
  readonly #lanes: readonly ExaminationLane[];
  readonly #free: ExaminationLane[];
  readonly #queue = new TurnQueue<Waiting>({
    weigh: ({ body }) => body.length + BYTES_BESIDE_BODY,
    most: MOST_WAITING_BYTES,
    mostOfOne: MOST_WAITING_BYTES_OF_ONE,
  });

  constructor(options: ThreadedExaminerOptions) {
    this.#options = options;
    const {
      threads,
      limitMs,
      heapMebibytes,
      threadFile = new URL('./examination-thread-main.ts', import.meta.url),
      logger,
    } = options;
    this.#lanes = Array.from(
      { length: threads },
      () => new ExaminationLane({ threadFile, limitMs, heapMebibytes, logger }),
    );
    this.#free = [...this.#lanes];
  }

  /** Rejects with the signal's reason when nobody waits any more, whether its turn has come or not. */
  async examine(body: Buffer, context: ExaminationContext): Promise<ExaminedBody> {
    if (this.#isQuick(body)) return this.#options.direct.examine(body, context);
    const { organization, signal } = context;
    signal?.throwIfAborted();
    const waiting: Waiting = { body, context, outcome: Promise.withResolvers() };
    if (!this.#queue.add(organization, waiting)) throw crowdedError();
    const leave = () => this.#leave(waiting);
    signal?.addEventListener('abort', leave);
    this.#useLanes();
    try {
      return await waiting.outcome.promise;
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane[Symbol.asyncDispose]()));
  }

  #isQuick(body: Buffer): boolean {
    if (body.length > this.#options.directLimitBytes) return false;
    return body.length <= QUICK_BYTES || !exceedsValues(body, QUICK_VALUES);
  }

  #leave(waiting: Waiting): void {
    const { organization, signal } = waiting.context;
    this.#queue.delete(organization, waiting);
    waiting.outcome.reject(signal?.reason);
  }

  #useLanes(): void {
    while (this.#free.length > 0) {
      const waiting = this.#queue.take();
      if (waiting === undefined) return;
      const lane = this.#free.pop();
      if (lane !== undefined) void this.#examineIn(lane, waiting);
    }
  }

  async #examineIn(lane: ExaminationLane, waiting: Waiting): Promise<void> {
    try {
      waiting.outcome.resolve(await lane.examine(() => this.#taskOf(waiting)));
    } catch (error) {
      waiting.outcome.reject(error);
    } finally {
      this.#free.push(lane);
      this.#useLanes();
    }
  }

  #taskOf({ body, context: { organization, shelf } }: Waiting): ExaminationTask {
    const models = availableAt(this.#options.wallClock(), shelf);
    return { body: ownedBuffer(body), organization, models };
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
