import {
  Accepted,
  Failed,
  Finished,
  FrameKind,
  Refused,
  SILENCE_LIMIT_MS,
  type WorkerLoad,
} from '@sluice/contracts';
import { Deadline } from '@sluice/service';
import type * as z from 'zod';
import type { FleetTable } from '../fleet/fleet-table.ts';
import type { WorkerView } from '../fleet/worker-view.ts';
import type { CompletionCounts } from '../request/completion-counts.ts';
import type { AttemptEnd } from './attempt-end.ts';
import type { CompletionSink } from './job.ts';
import type { RetainedBody } from './retained-body.ts';
import type { WorkerSearch } from './worker-search.ts';

export interface AttemptOptions {
  readonly name: string;
  readonly worker: Pick<WorkerView, 'id' | 'offered'>;
  readonly fleet: Pick<FleetTable, 'observe'>;
  readonly search: AnswerDeadlineOptions['search'];
  readonly body: Pick<RetainedBody, 'length' | 'accepted' | 'drop'>;
  readonly sink: CompletionSink;
  readonly counts: CompletionCounts;
  readonly clock: () => number;
  /** Limit for the whole attempt, counted from its creation. */
  readonly limitMs: number;
}

/** One job at one worker. NATS delivers frames at most once, so a gap in their numbers is a failure. */
export class Attempt {
  readonly name: string;
  /** The worker's id. */
  readonly worker: string;
  readonly #options: AttemptOptions;
  readonly #sink: CompletionSink;
  readonly #counts: CompletionCounts;
  readonly #clock: () => number;
  readonly #overdueAt: number;
  readonly #ended = Promise.withResolvers<AttemptEnd>();
  /** Runs from the offer to the worker's first answer. */
  #answerDeadline: AnswerDeadline | undefined;
  /** The number of the next frame. */
  #expected = 0;
  #lastFrameAt: number;
  #accepted = false;
  #over = false;

  constructor(options: AttemptOptions) {
    this.name = options.name;
    this.worker = options.worker.id;
    this.#options = options;
    this.#sink = options.sink;
    this.#counts = options.counts;
    this.#clock = options.clock;
    this.#lastFrameAt = options.clock();
    this.#overdueAt = this.#lastFrameAt + options.limitMs;
  }

  get ended(): Promise<AttemptEnd> {
    return this.#ended.promise;
  }

  get accepted(): boolean {
    return this.#accepted;
  }

  /** Call it before the job is sent. Until the worker answers, the offer counts as load of this worker. */
  begin(): void {
    const { worker, search, body } = this.#options;
    worker.offered += 1;
    this.#answerDeadline = new AnswerDeadline({
      worker: worker.id,
      search,
      bodyBytes: body.length,
      onMissed: () => this.end({ kind: 'unanswered' }),
    });
  }

  end(end: AttemptEnd): void {
    if (this.#over) return;
    this.#over = true;
    this.#answered();
    this.#ended.resolve(end);
  }

  /** Called at an interval. Ends the attempt if it is silent or overdue. */
  checkTime(now: number): void {
    const silent = this.#accepted && now - this.#lastFrameAt >= SILENCE_LIMIT_MS;
    if (now >= this.#overdueAt) this.end({ kind: 'overdue' });
    else if (silent) this.end({ kind: 'silent' });
  }

  /** The earliest time at which the attempt can be silent or overdue. Frames that arrive can only delay it. */
  nextCheckAt(now: number): number {
    // The silence limit counts from the `accepted` frame. If that has not arrived yet, it arrives after `now`.
    const lastFrameAt = this.#accepted ? this.#lastFrameAt : now;
    return Math.min(this.#overdueAt, lastFrameAt + SILENCE_LIMIT_MS);
  }

  /** A bound property, because it is passed to the frame reader for every message. */
  readonly onFrame = (kind: number, number: number, body: Uint8Array): void => {
    if (this.#over || number < this.#expected) return;
    if (number > this.#expected) {
      this.end({ kind: 'gap' });
      return;
    }
    this.#expected += 1;
    this.#lastFrameAt = this.#clock();
    switch (kind) {
      case FrameKind.delta:
        this.#counts.countPiece(this.#lastFrameAt);
        this.#sink.delta(body);
        // Once a part of the answer is out, no other worker can be given the job.
        if (this.#sink.delivered) this.#options.body.drop();
        return;
      case FrameKind.usage:
        this.#counts.usage = body;
        this.#sink.usage(body);
        return;
      case FrameKind.started:
        this.#sink.started();
        return;
      case FrameKind.accepted:
        this.#onAccepted(body);
        return;
      case FrameKind.refused:
        this.#onRefused(body);
        return;
      case FrameKind.finished:
        this.#onFinished(body);
        return;
      case FrameKind.failed:
        this.#onFailed(body);
        return;
      default:
      // A tick, or a kind of a newer worker. It shows that the worker is alive.
    }
  };

  #onAccepted(body: Uint8Array): void {
    const accepted = this.#read(Accepted, body);
    if (accepted === undefined) return;
    this.#observe(accepted.load);
    if (this.#accepted) return;
    this.#accepted = true;
    this.#answered();
    this.#options.body.accepted();
  }

  #onRefused(body: Uint8Array): void {
    const refused = this.#read(Refused, body);
    if (refused === undefined) return;
    this.#observe(refused.load);
    this.end({
      kind: 'refused',
      reason: refused.reason,
      retryAfterMs: refused.retry_after_ms,
      accepted: this.#accepted,
    });
  }

  #onFinished(body: Uint8Array): void {
    const finished = this.#read(Finished, body);
    if (finished === undefined) return;
    this.#observe(finished.load);
    this.end({ kind: 'finished', finishReason: finished.finish_reason });
  }

  #onFailed(body: Uint8Array): void {
    const failed = this.#read(Failed, body);
    if (failed === undefined) return;
    const { reason, retryable, retry_after_ms: retryAfterMs, param } = failed;
    this.end({ kind: 'failed', reason, retryable, retryAfterMs, param });
  }

  #answered(): void {
    if (this.#answerDeadline === undefined) return;
    this.#answerDeadline.stop();
    this.#answerDeadline = undefined;
    this.#options.worker.offered -= 1;
  }

  #observe(load: WorkerLoad): void {
    this.#options.fleet.observe(this.worker, load);
  }

  #read<Schema extends z.ZodType>(schema: Schema, body: Uint8Array): z.infer<Schema> | undefined {
    try {
      return schema.parse(JSON.parse(Buffer.from(body).toString('utf8')));
    } catch {
      this.end({ kind: 'malformed' });
      return undefined;
    }
  }
}

/** How long a worker may take to accept or refuse a job before the job is offered to another worker. */
const ANSWER_MS = 250;
/** Extra time if there is no other worker to offer the job to. */
const LAST_ANSWER_MS = 2_000;
/** A larger body gives a worker more time: one millisecond for each of these bytes. */
const TRANSFER_BYTES_PER_MS = 16_384;
/** Bodies above this size are not offered to another worker after ANSWER_MS. */
const LARGE_BODY_BYTES = 262_144;

/**
 * Whether this body may be the reason why a worker does not answer. If a large body were offered to the next worker
 * after ANSWER_MS, it could slow down one worker after another. Therefore it is offered again only once, and only after
 * SILENCE_LIMIT_MS.
 */
export function isLargeBody(bodyBytes: number): boolean {
  return bodyBytes > LARGE_BODY_BYTES;
}

interface AnswerDeadlineOptions {
  readonly worker: string;
  readonly bodyBytes: number;
  readonly search: Pick<WorkerSearch, 'skipIfOthersRemain'>;
  readonly onMissed: () => void;
}

/** How long a worker may take to accept or refuse a job. The time is shorter if another worker can be asked. */
class AnswerDeadline {
  #deadline: Deadline;

  constructor({ worker, bodyBytes, search, onMissed }: AnswerDeadlineOptions) {
    const isLarge = isLargeBody(bodyBytes);
    const answerMs = isLarge ? SILENCE_LIMIT_MS : ANSWER_MS;
    this.#deadline = new Deadline(answerMs + bodyBytes / TRANSFER_BYTES_PER_MS, () => {
      if (isLarge || search.skipIfOthersRemain(worker)) onMissed();
      else this.#deadline = new Deadline(LAST_ANSWER_MS, onMissed);
    });
  }

  stop(): void {
    this.#deadline.stop();
  }
}
