import {
  FAILURE_REASONS,
  REFUSAL_REASONS,
  type FailureReason,
  type FinishReason,
} from '@sluice/contracts';

/** How an attempt ended. */
export type AttemptEnd =
  | { readonly kind: 'finished'; readonly finishReason: FinishReason }
  /** The job was not served. The worker refused the offer or, with `accepted`, returned the job from its queue. */
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
      /** The request parameter that caused the failure, if the worker knows it. */
      readonly param?: string | undefined;
    }
  | { [Kind in AttemptBreak]: { readonly kind: Kind } }[AttemptBreak];

/** Any end without a complete answer. */
export type UnfinishedEnd = Exclude<AttemptEnd, { kind: 'finished' }>;

/** Ends detected by the gateway. They are label values of a metric. */
const ATTEMPT_BREAKS = [
  /** The worker neither accepted nor refused in time. */
  'unanswered',
  /** No worker subscribes to the subject of the job. */
  'nobody_listens',
  /** Accepted, then no frame within SILENCE_LIMIT_MS. */
  'silent',
  /** A frame is missing. */
  'gap',
  'malformed',
  /** The gateway lost its connection to the bus. */
  'disconnected',
  /** The time limit of the whole attempt has passed. */
  'overdue',
  /** The client disconnected, or the gateway stopped. */
  'left',
] as const;
export type AttemptBreak = (typeof ATTEMPT_BREAKS)[number];

/** The word for this end in the ledger. */
export function offerEnd(end: AttemptEnd): string {
  return end.kind === 'refused' && end.accepted ? 'handed_back' : end.kind;
}

/** Whether the worker may still be running the job, and so needs a cancel. */
export function mayStillRun({ kind }: AttemptEnd): boolean {
  return (
    kind !== 'finished' && kind !== 'refused' && kind !== 'failed' && kind !== 'nobody_listens'
  );
}

/**
 * Failures that say nothing about the worker's next job: the runtime lacks one model, or one organization sent more
 * schemas at once than a worker prepares for it.
 */
const JOB_SPECIFIC_REASONS: ReadonlySet<string> = new Set<FailureReason>([
  'upstream_model_missing',
  'worker_busy',
]);

/** Whether the worker or its runtime would probably fail the next job too. */
export function isWorkerFault(end: AttemptEnd): boolean {
  switch (end.kind) {
    case 'unanswered':
    case 'nobody_listens':
    case 'silent':
    case 'gap':
    case 'malformed':
      return true;
    case 'failed':
      return end.retryable && !isBrokenPromise(end) && !JOB_SPECIFIC_REASONS.has(end.reason);
    default:
      return false;
  }
}

/**
 * Whether the reply violated the requested output format. A client can provoke this on purpose, so the worker is not
 * penalized.
 */
export function isBrokenPromise(end: AttemptEnd): boolean {
  return end.kind === 'failed' && end.reason === 'invalid_output';
}

/** All label sets of counted ends, except the reason `other`. */
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

/** The reason as a label value. Reasons of newer workers become `other`, to bound the number of series. */
export function reasonOf(end: AttemptEnd): string {
  if (end.kind !== 'refused' && end.kind !== 'failed') return 'none';
  return KNOWN_REASONS.has(end.reason) ? end.reason : 'other';
}
