import * as z from 'zod';

/** How busy a worker is. Rides on heartbeats, `accepted`, `refused` and `finished`. */
export const WorkerLoad = z.object({
  slots: z.int().min(0),
  running: z.int().min(0),
  queued: z.int().min(0),
  queue_limit: z.int().min(0),
});
export type WorkerLoad = z.infer<typeof WorkerLoad>;

/** What a runtime itself tells of its load, whoever it works for. */
export const RuntimeLoad = z.object({
  running: z.int().min(0),
  waiting: z.int().min(0),
  /** How full its cache is, from 0 to 1; null where it does not say. */
  cache_use: z.number().min(0).nullable(),
});
export type RuntimeLoad = z.infer<typeof RuntimeLoad>;

/** Sent by each worker every second, and at once when models, slots or draining change. */
export const Heartbeat = z.object({
  worker: z.string().min(1),
  pool: z.string().min(1),
  contract: z.int(),
  version: z.string(),
  /** The models of its runtime, as the runtime names them. */
  models: z.array(z.string()),
  draining: z.boolean(),
  load: WorkerLoad,
  /** Mean time a job holds a slot, for Retry-After; null until one has ended. */
  service_ms: z.number().min(0).nullable(),
  /** All that it has generated since it started; two of them give its speed. Older workers do not say. */
  generated_tokens: z.int().min(0).optional(),
  /** Null of a runtime that does not tell; older workers do not say. */
  runtime_load: RuntimeLoad.nullable().optional(),
});
export type Heartbeat = z.infer<typeof Heartbeat>;

export const HEARTBEAT_INTERVAL_MS = 1_000;
/** When the last heartbeat is this old, the next one is late. */
export const HEARTBEAT_LATE_MS = 1_500;
/** When the last heartbeat is this old, its worker is not offered jobs. */
export const HEARTBEAT_FRESH_MS = 3_500;

/** Sent by each gateway; a worker drops the jobs of a gateway silent for LEASE_EXPIRY_MS. */
export const Lease = z.object({ gateway: z.string().min(1) });
export type Lease = z.infer<typeof Lease>;

export const LEASE_INTERVAL_MS = 2_000;
export const LEASE_LATE_MS = 2_500;
export const LEASE_EXPIRY_MS = 10_000;

/** A message on a worker's control subject. The reply, any reply, is the acknowledgement. */
export const ControlMessage = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('cancel'),
    /** The attempt's name: `<request>-<attempt>`. */
    attempt: z.string().min(1),
  }),
  /** Whether anybody is there. */
  z.object({ kind: z.literal('inquiry') }),
]);
export type ControlMessage = z.infer<typeof ControlMessage>;
