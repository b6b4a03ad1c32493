import type { AttemptRecord } from '@sluice/contracts';
import type { Attempt, AttemptEnd } from './attempt.ts';

export interface RecordMoment {
  readonly worker: string;
  /** By the clock of the attempts' own times. */
  readonly now: number;
  /** In Unix milliseconds. */
  readonly wallNow: number;
}

/** What the ledger is told of an attempt that has ended. */
export function attemptRecord(
  attempt: Attempt,
  end: AttemptEnd,
  { worker, now, wallNow }: RecordMoment,
): AttemptRecord {
  const { header, name, arrivedAt, startedAt, generatedTokens, heardTokens } = attempt;
  // An attempt that never got a slot has waited all its time.
  const leftQueueAt = startedAt ?? now;
  const usage = end.kind === 'finished' ? end.usage : null;
  return {
    kind: 'attempt',
    id: name,
    request: header.request,
    worker,
    gateway: header.gateway,
    organization: header.organization,
    project: header.project,
    model: header.model,
    ended: end.kind,
    reason: end.kind === 'finished' ? null : end.reason,
    generated_tokens: usage?.output_tokens ?? generatedTokens,
    unheard_tokens: end.kind === 'abandoned' ? generatedTokens - heardTokens : 0,
    usage,
    accepted_at_ms: Math.round(wallNow - (now - arrivedAt)),
    queued_ms: Math.round(leftQueueAt - arrivedAt),
    ran_ms: Math.round(now - leftQueueAt),
  };
}
