import {
  FrameKind,
  jsonFrame,
  type Frame,
  type RefusalReason,
  type WorkerLoad,
} from '@sluice/contracts';
import type { AttemptFailure } from './attempt-failure.ts';

/** The worker gives a job back, unserved. */
export function refusedFrame(
  reason: RefusalReason,
  load: WorkerLoad,
  retryAfterMs?: number,
): Frame {
  return jsonFrame(FrameKind.refused, {
    reason,
    load,
    ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }),
  });
}

/** An attempt failed. Says why, and nothing of what the runtime wrote. */
export function failedFrame({ reason, retryable, retryAfterMs, param }: AttemptFailure): Frame {
  return jsonFrame(FrameKind.failed, {
    reason,
    retryable,
    ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }),
    ...(param === undefined ? {} : { param }),
  });
}
