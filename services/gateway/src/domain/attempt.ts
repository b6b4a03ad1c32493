import {
  Accepted,
  FAILURE_REASONS,
  Failed,
  Finished,
  FrameKind,
  REFUSAL_REASONS,
  Refused,
  SILENCE_LIMIT_MS,
  type FinishReason,
  type WorkerLoad,
} from '@sluice/contracts';
import type * as z from 'zod';

/** How an attempt ended. */
export type AttemptEnd =
  | { readonly kind: 'finished'; readonly finishReason: FinishReason }
  /** Given back, unserved; a queued job may be, too. */
  | {
      readonly kind: 'refused';
      readonly reason: string;
      readonly retryAfterMs: number | undefined;
      readonly accepted: boolean;
    }
  | {
      readonly kind: 'failed';
      readonly reason: string;
      readonly retryable: boolean;
      readonly retryAfterMs: number | undefined;
      /** The parameter at fault, where the worker knows it. */
      readonly param?: string | undefined;
    }
  | { [Kind in AttemptBreak]: { readonly kind: Kind } }[AttemptBreak];

/** An end that is not the answer. */
export type UnfinishedEnd = Exclude<AttemptEnd, { kind: 'finished' }>;

/** Ends that the gateway noticed by itself. */
const ATTEMPT_BREAKS = [
  /** Neither accepted nor refused in time. */
  'unanswered',
  'nobody_listens',
  /** Accepted, then nothing for too long. */
  'silent',
  'gap',
  'malformed',
  'disconnected',
  'overdue',
  /** Nobody waits for it any more. */
  'left',
] as const;
export type AttemptBreak = (typeof ATTEMPT_BREAKS)[number];

/** The worker may still be at it: it has to be told. */
export function mayStillRun({ kind }: AttemptEnd): boolean {
  return (
    kind !== 'finished' && kind !== 'refused' && kind !== 'failed' && kind !== 'nobody_listens'
  );
}

/** It, or its runtime, would probably fail the next job too. */
export function isWorkersFault(end: AttemptEnd): boolean {
  switch (end.kind) {
    case 'unanswered':
    case 'nobody_listens':
    case 'silent':
    case 'gap':
    case 'malformed':
      return true;
    case 'failed':
      // A worker that lacks one model serves its others as well as before.
      return end.retryable && !isBrokenPromise(end) && end.reason !== 'upstream_model_missing';
    default:
      return false;
  }
}

/** The reply was not what the client was promised. Its client may have asked for just that: no worker is avoided. */
export function isBrokenPromise(end: AttemptEnd): boolean {
  return end.kind === 'failed' && end.reason === 'invalid_output';
}

/** All ways in which ends are counted, but for reasons that are not known here. */
export const COUNTED_ENDS: readonly {
  readonly end: AttemptEnd['kind'];
  readonly reason: string;
}[] = [
  { end: 'finished', reason: 'none' },
  ...REFUSAL_REASONS.map((reason) => ({ end: 'refused' as const, reason })),
  ...FAILURE_REASONS.map((reason) => ({ end: 'failed' as const, reason })),
  ...ATTEMPT_BREAKS.map((end) => ({ end, reason: 'none' })),
];

const KNOWN_REASONS: ReadonlySet<string> = new Set([...REFUSAL_REASONS, ...FAILURE_REASONS]);

/** One of our own words: those of newer workers are not known, and could be any number. */
export function reasonOf(end: AttemptEnd): string {
  if (end.kind !== 'refused' && end.kind !== 'failed') return 'none';
  return KNOWN_REASONS.has(end.reason) ? end.reason : 'other';
}

export interface AttemptObserver {
  /** Once: at the worker's first answer, or at the end. */
  answered(): void;
  /** The worker has the job, and runs it or lets it wait. */
  accepted(): void;
  /** The runtime itself took the request. */
  started(): void;
  delta(body: Uint8Array): void;
  usage(body: Uint8Array): void;
  load(load: WorkerLoad): void;
}

export interface AttemptOptions {
  readonly name: string;
  readonly worker: string;
  readonly observer: AttemptObserver;
  readonly clock: () => number;
  /** From now, for all of it. */
  readonly limitMs: number;
}

/** One job at one worker: reads its frames by their numbers. Delivery is at most once, so a gap is a failure. */
export class Attempt {
  readonly name: string;
  readonly worker: string;
  readonly #observer: AttemptObserver;
  readonly #clock: () => number;
  readonly #overdueAt: number;
  readonly #ended = Promise.withResolvers<AttemptEnd>();
  #expected = 0;
  #heardAt: number;
  #accepted = false;
  #over = false;

  constructor({ name, worker, observer, clock, limitMs }: AttemptOptions) {
    this.name = name;
    this.worker = worker;
    this.#observer = observer;
    this.#clock = clock;
    this.#heardAt = clock();
    this.#overdueAt = this.#heardAt + limitMs;
  }

  get ended(): Promise<AttemptEnd> {
    return this.#ended.promise;
  }

  get accepted(): boolean {
    return this.#accepted;
  }

  end(end: AttemptEnd): void {
    if (this.#over) return;
    this.#over = true;
    if (!this.#accepted) this.#observer.answered();
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
  readonly visit = (kind: number, number: number, body: Uint8Array): void => {
    if (this.#over || number < this.#expected) return;
    if (number > this.#expected) {
      this.end({ kind: 'gap' });
      return;
    }
    this.#expected += 1;
    this.#heardAt = this.#clock();
    switch (kind) {
      case FrameKind.delta:
        this.#observer.delta(body);
        return;
      case FrameKind.usage:
        this.#observer.usage(body);
        return;
      case FrameKind.started:
        this.#observer.started();
        return;
      case FrameKind.accepted:
        this.#visitAccepted(body);
        return;
      case FrameKind.refused:
        this.#visitRefused(body);
        return;
      case FrameKind.finished:
        this.#visitFinished(body);
        return;
      case FrameKind.failed:
        this.#visitFailed(body);
        return;
      default:
      // A tick, or a kind of a newer worker: it is alive.
    }
  };

  #visitAccepted(body: Uint8Array): void {
    const accepted = this.#read(Accepted, body);
    if (accepted === undefined) return;
    this.#observer.load(accepted.load);
    if (this.#accepted) return;
    this.#accepted = true;
    this.#observer.answered();
    this.#observer.accepted();
  }

  #visitRefused(body: Uint8Array): void {
    const refused = this.#read(Refused, body);
    if (refused === undefined) return;
    this.#observer.load(refused.load);
    this.end({
      kind: 'refused',
      reason: refused.reason,
      retryAfterMs: refused.retry_after_ms,
      accepted: this.#accepted,
    });
  }

  #visitFinished(body: Uint8Array): void {
    const finished = this.#read(Finished, body);
    if (finished === undefined) return;
    this.#observer.load(finished.load);
    this.end({ kind: 'finished', finishReason: finished.finish_reason });
  }

  #visitFailed(body: Uint8Array): void {
    const failed = this.#read(Failed, body);
    if (failed === undefined) return;
    const { reason, retryable, retry_after_ms: retryAfterMs, param } = failed;
    this.end({ kind: 'failed', reason, retryable, retryAfterMs, param });
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
