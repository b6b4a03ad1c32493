import { mayBeWhySilent } from './answer-deadline.ts';
import { isBrokenPromise, type UnfinishedEnd } from './attempt-end.ts';

/** How often workers may return a queued job before its request fails. */
const MAX_RETURNS = 5;

/** Ends after which a job is retried; `unanswered` of a large body alone. */
export const RETRY_CAUSES = [
  'unanswered',
  'failed',
  'malformed',
  'silent',
  'gap',
  'disconnected',
] as const satisfies readonly UnfinishedEnd['kind'][];
type RetryCause = (typeof RETRY_CAUSES)[number];

/** Reasons of a lost place in a queue for which a job waits until there is room for it again. */
export type AwaitedReason = 'runtime_down' | 'draining';

/** What has become of a job when one of its attempts ends. */
export interface JobProgress {
  /** A part of the answer has reached the client. */
  readonly delivered: boolean;
  readonly retried: boolean;
  /** How often workers had returned the job from their queues before this end. */
  readonly returns: number;
  readonly bodyBytes: number;
  /** The body is no longer held, so that the job cannot be sent again. */
  readonly isBodyGone: boolean;
}

export type NextStep =
  /** The client gets the failure of this end. */
  | { readonly kind: 'fail' }
  /** The search goes on where it was. */
  | { readonly kind: 'offer_to_next' }
  /** The job had a place in a queue: workers that had no room before may have some now. */
  | { readonly kind: 'search_again'; readonly waitsAfter: AwaitedReason | undefined }
  /** The client is told that there is no room, because workers returned the job too often. */
  | { readonly kind: 'give_up' }
  /** As above, because the job was returned and cannot be sent again. */
  | { readonly kind: 'refuse_as_busy' }
  | { readonly kind: 'retry'; readonly cause: RetryCause; readonly on: RetryWorker };

/**
 * `another`: the job fails where there is no other worker. `same_if_no_other`: a reply that broke a promise may come
 * out well the second time. `any_after_reconnect`: the connection of this gateway broke, which is no worker's fault.
 */
type RetryWorker = 'another' | 'same_if_no_other' | 'any_after_reconnect';

/** Decides what follows an attempt that ended without the answer. */
export function decideNext(end: UnfinishedEnd, progress: JobProgress): NextStep {
  // Another worker would begin anew what the client has seen a part of.
  if (progress.delivered) return { kind: 'fail' };
  switch (end.kind) {
    case 'left':
    case 'overdue':
      return { kind: 'fail' };
    case 'nobody_listens':
      return { kind: 'offer_to_next' };
    case 'unanswered':
      return mayBeWhySilent(progress.bodyBytes)
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

function afterReturn(reason: string, { isBodyGone, returns }: JobProgress): NextStep {
  if (isBodyGone) return { kind: 'refuse_as_busy' };
  if (returns >= MAX_RETURNS) return { kind: 'give_up' };
  const isAwaited = reason === 'runtime_down' || reason === 'draining';
  return { kind: 'search_again', waitsAfter: isAwaited ? reason : undefined };
}

/** A job is retried once. */
function retry(cause: RetryCause, on: RetryWorker, { retried, isBodyGone }: JobProgress): NextStep {
  return retried || isBodyGone ? { kind: 'fail' } : { kind: 'retry', cause, on };
}
