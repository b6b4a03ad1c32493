import { isBrokenPromise, type UnfinishedEnd } from './attempt-end.ts';
import { isLargeBody } from './attempt.ts';

/** How often workers may return a queued job before its request fails. */
const MAX_RETURNS = 5;

/** Ends after which a job is retried. `unanswered` counts only for large bodies. */
export const RETRY_CAUSES = [
  'unanswered',
  'failed',
  'malformed',
  'silent',
  'gap',
  'disconnected',
] as const satisfies readonly UnfinishedEnd['kind'][];
type RetryCause = (typeof RETRY_CAUSES)[number];

/** Reasons for returning a queued job after which the job waits for a new place. */
export type AwaitedReason = 'runtime_down' | 'draining';

/** The state of a job when one of its attempts ends. */
export interface JobProgress {
  /** Part of the answer has been sent to the client. */
  readonly delivered: boolean;
  readonly retried: boolean;
  /** How often workers returned the job from their queues before this attempt ended. */
  readonly returns: number;
  readonly bodyBytes: number;
  /** The body is no longer in memory, so the job cannot be sent again. */
  readonly isBodyReleased: boolean;
}

export type NextStep =
  /** The client gets the error of this end. */
  | { readonly kind: 'fail' }
  /** The search continues with the workers that were not asked yet. */
  | { readonly kind: 'offer_to_next' }
  /** The search starts over. The job was queued for a while, so full workers may have room now. */
  | { readonly kind: 'search_again'; readonly waitsAfter: AwaitedReason | undefined }
  /** Workers returned the job too often. It counts as unserved. */
  | { readonly kind: 'give_up' }
  /** The job was returned and cannot be sent again. The client gets the error for full workers. */
  | { readonly kind: 'refuse_as_busy' }
  | { readonly kind: 'retry'; readonly cause: RetryCause; readonly on: RetryWorker };

/**
 * `another`: the job fails if there is no other worker. `same_if_no_other`: a second try on the same worker may give
 * valid output. `any_after_reconnect`: the connection of this gateway broke, so any worker may take the job.
 */
type RetryWorker = 'another' | 'same_if_no_other' | 'any_after_reconnect';

/** Decides what follows an attempt that ended without a complete answer. */
export function decideNext(end: UnfinishedEnd, progress: JobProgress): NextStep {
  // Another worker would repeat the part that the client already has.
  if (progress.delivered) return { kind: 'fail' };
  switch (end.kind) {
    case 'left':
    case 'overdue':
      return { kind: 'fail' };
    case 'nobody_listens':
      return { kind: 'offer_to_next' };
    case 'unanswered':
      return isLargeBody(progress.bodyBytes)
        ? retry(end.kind, 'another', progress)
        : { kind: 'offer_to_next' };
    case 'refused':
      return end.accepted ? afterReturn(end.reason, progress) : { kind: 'offer_to_next' };
    case 'failed':
      if (!end.retryable) return { kind: 'fail' };
      return retry(end.kind, isBrokenPromise(end) ? 'same_if_no_other' : 'another', progress);
    case 'disconnected':
      return retry(end.kind, 'any_after_reconnect', progress);
    case 'malformed':
    case 'silent':
    case 'gap':
      return retry(end.kind, 'another', progress);
  }
}

function afterReturn(reason: string, { isBodyReleased, returns }: JobProgress): NextStep {
  if (isBodyReleased) return { kind: 'refuse_as_busy' };
  if (returns >= MAX_RETURNS) return { kind: 'give_up' };
  const isAwaited = reason === 'runtime_down' || reason === 'draining';
  return { kind: 'search_again', waitsAfter: isAwaited ? reason : undefined };
}

/** A job is retried once. */
function retry(
  cause: RetryCause,
  on: RetryWorker,
  { retried, isBodyReleased }: JobProgress,
): NextStep {
  return retried || isBodyReleased ? { kind: 'fail' } : { kind: 'retry', cause, on };
}
