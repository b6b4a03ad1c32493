import type { AttemptRecord } from '@sluice/contracts';
import { count, measure, metricsEnabled } from '@sluice/service';
import type { WorkerIdentity } from '../identity.ts';
import type { Attempt, AttemptEnd } from './attempt.ts';

export interface RecordMoment {
  readonly identity: WorkerIdentity;
  /** A time on the monotonic clock of the attempts. */
  readonly now: number;
  /** Unix time in milliseconds. */
  readonly wallNow: number;
}

/** The ledger's record of an ended attempt. */
export function attemptRecord(
  attempt: Attempt,
  end: AttemptEnd,
  { identity, now, wallNow }: RecordMoment,
): AttemptRecord {
  const { header, name, arrivedAt, startedAt, generatedTokens, deliveredTokens } = attempt;
  // An attempt that never got a slot spent all its time in the queue.
  const leftQueueAt = startedAt ?? now;
  const usage = end.kind === 'finished' ? end.usage : null;
  return {
    kind: 'attempt',
    id: name,
    request: header.request,
    worker: identity.worker,
    worker_name: identity.worker_name,
    host: identity.host,
    runtime: identity.runtime,
    gateway: header.gateway,
    organization: header.organization,
    project: header.project,
    model: header.model,
    ended: end.kind,
    reason: end.kind === 'finished' ? null : end.reason,
    generated_tokens: usage?.output_tokens ?? generatedTokens,
    unheard_tokens: end.kind === 'abandoned' ? generatedTokens - deliveredTokens : 0,
    usage,
    accepted_at_ms: Math.round(wallNow - (now - arrivedAt)),
    queued_ms: Math.round(leftQueueAt - arrivedAt),
    ran_ms: Math.round(now - leftQueueAt),
  };
}

/** Updates the metrics for an accepted attempt that has ended. */
export function measureAttempt(record: AttemptRecord, { gotSlot }: { gotSlot: boolean }): void {
  if (!metricsEnabled()) return;
  const { ended: end, model } = record;
  const stage = gotSlot ? 'running' : 'queued';
  count('sluice.worker.attempts', { end, reason: record.reason ?? 'none', stage, model });
  measure('sluice.worker.queue.duration', { model }, record.queued_ms / 1_000);
  if (gotSlot) measure('sluice.worker.run.duration', { model, end }, record.ran_ms / 1_000);
}

/** The tokens of an attempt that got a slot: its usage if it finished, and estimates otherwise. */
export function tokensOf(
  { header, generatedTokens }: Attempt,
  end: AttemptEnd,
): { readonly prompt: number; readonly answer: number } {
  if (end.kind !== 'finished') {
    return { prompt: header.estimated_input_tokens, answer: generatedTokens };
  }
  return { prompt: end.usage.input_tokens, answer: end.usage.output_tokens };
}
