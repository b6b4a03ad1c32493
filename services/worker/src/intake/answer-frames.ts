import {
  FrameKind,
  jsonFrame,
  type Frame,
  type RefusalReason,
  type WorkerLoad,
} from '@sluice/contracts';
import type { AttemptFailure } from '../attempt/attempt-failure.ts';

/** The worker refuses a job, or returns one from its queue. */
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

/** An attempt failed. The frame never holds text of the runtime, because that may quote prompts. */
export function failedFrame({ reason, retryable, retryAfterMs, param }: AttemptFailure): Frame {
  return jsonFrame(FrameKind.failed, {
    reason,
    retryable,
    ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }),
    ...(param === undefined ? {} : { param }),
  });
}
