import type { AbandonReason, FinishReason, Frame, TokenUsage } from '@sluice/contracts';
import { AttemptFailure } from './attempt-failure.ts';
import type { Attempt, AttemptEnd, StopReason } from './attempt.ts';

/** The result of running an attempt. */
export type AttemptOutcome =
  | {
      readonly kind: 'finished';
      readonly frames: readonly Frame[];
      readonly finishReason: FinishReason;
      readonly usage: TokenUsage;
    }
  | { readonly kind: 'failed'; readonly failure: AttemptFailure }
  | { readonly kind: 'abandoned'; readonly reason: AbandonReason };

/**
 * Runs an attempt on the runtime. Calls `charge` with the number of new output tokens. The promise never rejects, and
 * it resolves soon after the attempt is stopped.
 */
export type RunAttempt = (
  attempt: Attempt,
  charge: (tokens: number) => void,
) => Promise<AttemptOutcome>;

export function outcomeOfStop(reason: StopReason): AttemptOutcome {
  return reason instanceof AttemptFailure
    ? { kind: 'failed', failure: reason }
    : { kind: 'abandoned', reason };
}

export function endOf(outcome: AttemptOutcome): AttemptEnd {
  switch (outcome.kind) {
    case 'finished':
      return { kind: 'finished', usage: outcome.usage };
    case 'failed':
      return { kind: 'failed', reason: outcome.failure.reason };
    case 'abandoned':
      return outcome;
  }
}
