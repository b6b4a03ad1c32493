import * as z from 'zod';

export const WORKER_STATES = [
  'ready',
  'full',
  'draining',
  'drained',
  'no_models',
  'incompatible',
  'silent',
] as const;

export const FleetWorker = z.object({
  worker: z.string().describe('Its id, which begins with its pool and is new at each start.'),
  name: z.string().describe('What people call it. Two workers may have the same name.'),
  pool: z.string(),
  host: z.string().nullable(),
  runtime: z.string().nullable().describe('The host and port of its runtime.'),
  version: z.string(),
  models: z.array(z.string()),
  state: z.enum(WORKER_STATES),
  slots: z.number(),
  running: z.number(),
  queued: z.number(),
  queue_limit: z.number(),
  tokens_per_second: z.number().nullable(),
  runtime_load: z
    .object({ running: z.number(), waiting: z.number(), cache_use: z.number().nullable() })
    .nullable(),
  heard_ms_ago: z.number(),
});

export const FleetReply = z.object({
  /** False if the console has no connection to NATS. The reply then has the workers that were known before. */
  connected: z.boolean(),
  pools: z.array(
    z.object({
      pool: z.string(),
      workers: z.number(),
      slots: z.number(),
      running: z.number(),
      queued: z.number(),
      tokens_per_second: z.number(),
    }),
  ),
  workers: z.array(FleetWorker),
});
export const WorkerPath = z.object({
  worker: z.string().regex(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/),
});
