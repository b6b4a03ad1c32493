import * as z from 'zod';

/** How busy a worker is. Part of heartbeats and of `accepted`, `refused` and `finished` frames. */
export const WorkerLoad = z.object({
  slots: z.int().min(0),
  running: z.int().min(0),
  queued: z.int().min(0),
  queue_limit: z.int().min(0),
});
export type WorkerLoad = z.infer<typeof WorkerLoad>;

/** The load that a runtime itself reports, including requests that did not come from this worker. */
export const RuntimeLoad = z.object({
  running: z.int().min(0),
  waiting: z.int().min(0),
  /** How full its cache is, from 0 to 1. Null if the runtime does not report it. */
  cache_use: z.number().min(0).nullable(),
});
export type RuntimeLoad = z.infer<typeof RuntimeLoad>;

/** What the jobs of one scheduling class do on a worker. */
export const ClassLoad = z.object({
  class: z.int(),
  running: z.int().min(0),
  queued: z.int().min(0),
});
export type ClassLoad = z.infer<typeof ClassLoad>;

/** A name that people read. It is no longer than the name of a host. */
const WorkerLabel = z.string().min(1).max(260);

/** A heartbeat names at most this many organizations that hold all slots that they may hold. */
export const MAX_FULL_ORGANIZATIONS = 256;

/** Length of the longest text with block hashes: 384 hashes of 4 bytes, in base64. */
const MAX_HEARTBEAT_BLOCKS = 2_048;

/** Sent by each worker every second, and at once when models, slots or draining change. */
export const Heartbeat = z.object({
  worker: z.string().min(1),
  /** What people call the worker. Two workers may have the same name. Version 0.2.0 omits name, host and runtime. */
  worker_name: WorkerLabel.optional(),
  pool: z.string().min(1),
  /** The machine that it runs on. */
  host: WorkerLabel.optional(),
  /** Host and port of its runtime. */
  runtime: WorkerLabel.optional(),
  contract: z.int(),
  version: z.string(),
  /** The runtime's own names of its models. */
  models: z.array(z.string()),
  draining: z.boolean(),
  load: WorkerLoad,
  /** The highest class first. Absent while all jobs have the default class. */
  classes: z.array(ClassLoad).optional(),
  /** Organizations that hold all slots that they may hold on this worker. Their further jobs would wait. */
  full_organizations: z.array(z.string()).max(MAX_FULL_ORGANIZATIONS).optional(),
  /** Mean time that a job holds a slot, for Retry-After. Null until the first job has ended. */
  service_ms: z.number().min(0).nullable(),
  /** Tokens that the worker has generated since its start. The difference between two heartbeats shows its speed. */
  generated_tokens: z.int().min(0),
  /** Null if the runtime does not report it. */
  runtime_load: RuntimeLoad.nullable(),
  /** Hashes of prompt blocks that the worker has served, from the headers of its jobs. */
  prefix_blocks: z.string().max(MAX_HEARTBEAT_BLOCKS).optional(),
  /**
   * Hashes of prompt blocks that the runtime's cache has lost. Gateways read them before `prefix_blocks`, because a block
   * that is in both was served again.
   */
  cold_blocks: z.string().max(MAX_HEARTBEAT_BLOCKS).optional(),
  /** How often the runtime's cache was emptied while the runtime went on. */
  cache_epoch: z.int().min(0).optional(),
});
export type Heartbeat = z.infer<typeof Heartbeat>;

export const HEARTBEAT_INTERVAL_MS = 1_000;
/** If the last heartbeat is this old, the next one is late. */
export const HEARTBEAT_LATE_MS = 1_500;
/** If the last heartbeat of a worker is this old, the worker is offered no jobs. */
export const HEARTBEAT_FRESH_MS = 3_500;

/** Sent by each gateway. If a gateway is silent for LEASE_EXPIRY_MS, workers drop its jobs. */
export const Lease = z.object({ gateway: z.string().min(1) });
export type Lease = z.infer<typeof Lease>;

export const LEASE_INTERVAL_MS = 2_000;
export const LEASE_LATE_MS = 2_500;
export const LEASE_EXPIRY_MS = 10_000;

/** A message on a worker's control subject. Any reply is the acknowledgement. */
export const ControlMessage = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('cancel'),
    /** The attempt's name: `<request>-<attempt>`. */
    attempt: z.string().min(1),
  }),
  /** Asks whether the worker is reachable. */
  z.object({ kind: z.literal('inquiry') }),
  /**
   * From an operator: take no more jobs, or take jobs again. The next heartbeat, which is sent at once, acknowledges
   * it. Version 0.2.0 ignores it.
   */
  z.object({ kind: z.enum(['drain', 'undrain']) }),
]);
export type ControlMessage = z.infer<typeof ControlMessage>;
