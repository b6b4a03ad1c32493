import type { AttemptRecord } from '@sluice/contracts';
import { count, measure, metricsEnabled } from '@sluice/telemetry';

/** What metrics are told of an accepted attempt that has ended. */
export function measureAttempt(record: AttemptRecord, { gotSlot }: { gotSlot: boolean }): void {
  if (!metricsEnabled()) return;
  const { ended: end, model } = record;
  const stage = gotSlot ? 'running' : 'queued';
  count('sluice.worker.attempts', { end, reason: record.reason ?? 'none', stage, model });
  measure('sluice.worker.queue.duration', { model }, record.queued_ms / 1_000);
  if (gotSlot) measure('sluice.worker.run.duration', { model, end }, record.ran_ms / 1_000);
}
