import type { FinishReason, Frame, TokenUsage } from '@sluice/contracts';
import type { AttemptFailure } from './attempt-failure.ts';
import type { Attempt, AttemptEnd } from './attempt.ts';

/** What came of running an attempt. */
export type AttemptOutcome =
  | {
      readonly kind: 'finished';
      readonly frames: readonly Frame[];
      readonly finishReason: FinishReason;
      readonly usage: TokenUsage;
    }
  | { readonly kind: 'failed'; readonly failure: AttemptFailure }
  | { readonly kind: 'abandoned' };

/** Runs an attempt on the runtime. Never rejects; ends soon after the attempt is stopped. */
export type RunAttempt = (
  attempt: Attempt,
  charge: (tokens: number) => void,
) => Promise<AttemptOutcome>;

export function endOf(attempt: Attempt, outcome: AttemptOutcome): AttemptEnd {
  switch (outcome.kind) {
    case 'finished':
      return { kind: 'finished', usage: outcome.usage };
    case 'failed':
      return { kind: 'failed', reason: outcome.failure.reason };
    case 'abandoned':
      return { kind: 'abandoned', reason: attempt.abandonReason };
  }
}
