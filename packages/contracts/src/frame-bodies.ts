import * as z from 'zod';
import { WorkerLoad } from './fleet.ts';

/** Body of an `accepted` frame. */
export const Accepted = z.object({ load: WorkerLoad });
export type Accepted = z.infer<typeof Accepted>;

export const REFUSAL_REASONS = [
  'full',
  'draining',
  'runtime_down',
  'unknown_model',
  'cancelled',
  'incompatible',
  'malformed',
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** Body of a `refused` frame. The reason may be any string, because a newer worker may send a new one. */
export const Refused = z.object({
  reason: z.string(),
  load: WorkerLoad,
  retry_after_ms: z.number().min(0).optional(),
});
export type Refused = z.infer<typeof Refused>;

export const FINISH_REASONS = ['stop', 'length', 'tool_calls', 'content_filter'] as const;
export type FinishReason = (typeof FINISH_REASONS)[number];

/** Body of a `finished` frame. */
export const Finished = z.object({ finish_reason: z.enum(FINISH_REASONS), load: WorkerLoad });
export type Finished = z.infer<typeof Finished>;

export const FAILURE_REASONS = [
  'context_length_exceeded',
  'invalid_request',
  'schema_unreadable',
  'schema_too_costly',
  'upstream_credentials_rejected',
  'upstream_model_missing',
  'upstream_unavailable',
  'upstream_busy',
  /** The worker was too busy to parse an expensive part of the request. The runtime did not receive it. */
  'worker_busy',
  'invalid_output',
  'queue_timeout',
  'deadline_exceeded',
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

/** Body of a `failed` frame. Never holds content. */
export const Failed = z.object({
  reason: z.string(),
  /** A retry may succeed: the worker, the bus or the runtime failed, or the reply was invalid. */
  retryable: z.boolean(),
  retry_after_ms: z.number().min(0).optional(),
  /** The path of the parameter at fault, if the worker knows it. */
  param: z.string().optional(),
});
export type Failed = z.infer<typeof Failed>;
