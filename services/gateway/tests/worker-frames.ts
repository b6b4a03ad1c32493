import { FrameKind, frame, jsonFrame } from '@sluice/contracts';

// The frames that a worker sends for a job.

const LOAD = { slots: 8, running: 0, queued: 0, queue_limit: 8 };

export const accepted = () => jsonFrame(FrameKind.accepted, { load: LOAD });
export const refused = (reason: string) => jsonFrame(FrameKind.refused, { reason, load: LOAD });
export const started = () => frame(FrameKind.started);
export const delta = (body: object) => jsonFrame(FrameKind.delta, body);
export const usage = (body: object = USAGE) => jsonFrame(FrameKind.usage, body);
export const finished = (reason = 'stop') =>
  jsonFrame(FrameKind.finished, { finish_reason: reason, load: LOAD });
export const failed = (reason: string, retryable: boolean) =>
  jsonFrame(FrameKind.failed, { reason, retryable });

export const USAGE = {
  prompt_tokens: 3,
  completion_tokens: 2,
  total_tokens: 5,
  prompt_tokens_details: { cached_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0 },
};
