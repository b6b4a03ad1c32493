import {
  Accepted,
  Failed,
  Finished,
  FrameKind,
  Refused,
  SILENCE_LIMIT_MS,
  type WorkerLoad,
} from '@sluice/contracts';
import type * as z from 'zod';
import { AnswerDeadline, type AnswerDeadlineOptions } from './answer-deadline.ts';
import type { AttemptEnd } from './attempt-end.ts';
import type { CompletionSink } from './completion-sink.ts';
import type { CompletionTally } from './completion-tally.ts';
import type { FleetTable, WorkerView } from './fleet-table.ts';
import type { KeptBody } from './kept-body.ts';

export interface AttemptOptions {
  readonly name: string;
  readonly worker: Pick<WorkerView, 'id' | 'offered'>;
  readonly fleet: Pick<FleetTable, 'observe'>;
  readonly search: AnswerDeadlineOptions['search'];
  readonly body: Pick<KeptBody, 'length' | 'accepted' | 'drop'>;
  readonly sink: CompletionSink;
  readonly tally: CompletionTally;
  readonly clock: () => number;
  /** From now, for all of it. */
  readonly limitMs: number;
}

/** One job at one worker: reads its frames by their numbers. Delivery is at most once, so a gap is a failure. */
export class Attempt {
  readonly name: string;
  /** Its id. */
  readonly worker: string;
  readonly #options: AttemptOptions;
  readonly #sink: CompletionSink;
  readonly #tally: CompletionTally;
  readonly #clock: () => number;
  readonly #overdueAt: number;
  readonly #ended = Promise.withResolvers<AttemptEnd>();
  /** Runs from the offer to the worker's first answer. */
  #answerDeadline: AnswerDeadline | undefined;
  #expected = 0;
  #heardAt: number;
  #accepted = false;
  #over = false;

  constructor(options: AttemptOptions) {
    this.name = options.name;
    this.worker = options.worker.id;
    this.#options = options;
    this.#sink = options.sink;
    this.#tally = options.tally;
    this.#clock = options.clock;
    this.#heardAt = options.clock();
    this.#overdueAt = this.#heardAt + options.limitMs;
  }

  get ended(): Promise<AttemptEnd> {
    return this.#ended.promise;
  }

  get accepted(): boolean {
    return this.#accepted;
  }

  /** The job is about to be sent: until the worker answers, the offer counts in the choices of other jobs. */
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

  /** Called now and then: ends what has been silent or has taken too long. */
  checkTime(now: number): void {
    const silent = this.#accepted && now - this.#heardAt >= SILENCE_LIMIT_MS;
    if (now >= this.#overdueAt) this.end({ kind: 'overdue' });
    else if (silent) this.end({ kind: 'silent' });
  }

  /** Until when it can be neither silent nor overdue, whatever it hears until then. */
  safeUntil(now: number): number {
    // One that is not accepted yet will have been heard after now, if it ever falls silent.
    const heardAt = this.#accepted ? this.#heardAt : now;
    return Math.min(this.#overdueAt, heardAt + SILENCE_LIMIT_MS);
  }

  /** A property, not a method: it is handed to the frame reader for every message. */
  readonly onFrame = (kind: number, number: number, body: Uint8Array): void => {
    if (this.#over || number < this.#expected) return;
    if (number > this.#expected) {
      this.end({ kind: 'gap' });
      return;
    }
    this.#expected += 1;
    this.#heardAt = this.#clock();
    switch (kind) {
      case FrameKind.delta:
        this.#tally.countPiece(this.#heardAt);
        this.#sink.delta(body);
        // Once a part of the answer is out, no other worker can be given the job.
        if (this.#sink.delivered) this.#options.body.drop();
        return;
      case FrameKind.usage:
        this.#tally.usage = body;
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
      // A tick, or a kind of a newer worker: it is alive.
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
