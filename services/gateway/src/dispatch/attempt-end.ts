import {
  FAILURE_REASONS,
  REFUSAL_REASONS,
  type FailureReason,
  type FinishReason,
} from '@sluice/contracts';

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

/**
 * Failures that say nothing of the next job: the runtime lacks one model, or one organization has brought more schemas
 * at once than the worker prepares for it.
 */
const SERVES_OTHERS: ReadonlySet<string> = new Set<FailureReason>([
  'upstream_model_missing',
  'worker_busy',
]);

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
      return end.retryable && !isBrokenPromise(end) && !SERVES_OTHERS.has(end.reason);
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
