import {
  FrameKind,
  jsonFrame,
  type Frame,
  type RefusalReason,
  type WorkerLoad,
} from '@sluice/contracts';
import type { AttemptFailure } from '../attempt/attempt-failure.ts';

/** The frame for a job that the worker refuses or returns from its queue. */
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

/** The frame for a failed attempt. It never contains text of the runtime, because this may quote the prompt. */
export function failedFrame({ reason, retryable, retryAfterMs, param }: AttemptFailure): Frame {
  return jsonFrame(FrameKind.failed, {
    reason,
    retryable,
    ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }),
    ...(param === undefined ? {} : { param }),
  });
}
