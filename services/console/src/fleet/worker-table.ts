import { CONTRACT_VERSION, HEARTBEAT_FRESH_MS, type Heartbeat } from '@sluice/contracts';
import type * as z from 'zod';
import type { FleetReply, FleetWorker, WORKER_STATES } from '../api/fleet.ts';

type Worker = z.infer<typeof FleetWorker>;
type Pool = z.infer<typeof FleetReply>['pools'][number];

/** The token rate is measured over this time. */
const SPEED_WINDOW_MS = 5_000;
/** A worker without heartbeats is removed after this time. Until then, it is shown as silent. */
const FORGET_AFTER_MS = 30_000;

interface KnownWorker {
  readonly heartbeat: Heartbeat;
  readonly receivedAt: number;
  /** How many tokens the worker had generated at recent heartbeats, the oldest first. */
  readonly samples: readonly { readonly at: number; readonly tokens: number }[];
}

/** The workers, according to their heartbeats. */
export class WorkerTable {
  readonly #clock: () => number;
  readonly #workers = new Map<string, KnownWorker>();
  readonly #listeners = new Set<(heartbeat: Heartbeat) => void>();

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** To be called for every heartbeat. */
  update(heartbeat: Heartbeat): void {
    const now = this.#clock();
    this.#forget(now);
    const known = this.#workers.get(heartbeat.worker);
    const samples = (known?.samples ?? []).filter(({ at }) => now - at <= SPEED_WINDOW_MS);
    this.#workers.set(heartbeat.worker, {
      heartbeat,
      receivedAt: now,
      samples: [...samples, { at: now, tokens: heartbeat.generated_tokens }],
    });
    for (const listener of this.#listeners) listener(heartbeat);
  }

  has(worker: string): boolean {
    this.#forget(this.#clock());
    return this.#workers.has(worker);
  }

  /** Calls `listener` for every heartbeat, until the function that it returns is called. */
  onHeartbeat(listener: (heartbeat: Heartbeat) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Sorted by pool, and then by name. */
  describe(): Pick<z.infer<typeof FleetReply>, 'pools' | 'workers'> {
    const now = this.#clock();
    this.#forget(now);
    const workers = [...this.#workers.values()]
      .map((known) => describeWorker(known, now))
      .toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
    return { workers, pools: sumPools(workers) };
  }

  #forget(now: number): void {
    for (const [worker, { receivedAt }] of this.#workers) {
      if (now - receivedAt >= FORGET_AFTER_MS) this.#workers.delete(worker);
    }
  }
}

function orderOf({ pool, name, worker }: Worker): string {
  return `${pool} ${name} ${worker}`;
}

function describeWorker({ heartbeat, receivedAt, samples }: KnownWorker, now: number): Worker {
  const { worker, pool, version, models, load } = heartbeat;
  const isSilent = now - receivedAt >= HEARTBEAT_FRESH_MS;
  return {
    worker,
    name: heartbeat.worker_name ?? worker,
    pool,
    host: heartbeat.host ?? null,
    runtime: heartbeat.runtime ?? null,
    version,
    models,
    state: isSilent ? 'silent' : stateOf(heartbeat),
    slots: load.slots,
    running: load.running,
    queued: load.queued,
    queue_limit: load.queue_limit,
    tokens_per_second: isSilent ? null : speedOf(samples),
    runtime_load: isSilent ? null : heartbeat.runtime_load,
    heard_ms_ago: Math.round(now - receivedAt),
  };
}

function stateOf({ contract, draining, models, load }: Heartbeat): (typeof WORKER_STATES)[number] {
  if (contract !== CONTRACT_VERSION) return 'incompatible';
  if (draining) return load.running + load.queued > 0 ? 'draining' : 'drained';
  if (models.length === 0) return 'no_models';
  return load.running >= load.slots && load.queued >= load.queue_limit ? 'full' : 'ready';
}

/** Tokens per second, with one decimal. */
function speedOf(samples: KnownWorker['samples']): number | null {
  const first = samples[0];
  const last = samples.at(-1);
  if (first === undefined || last === undefined || last.at === first.at) return null;
  const tokensPerSecond = ((last.tokens - first.tokens) * 1_000) / (last.at - first.at);
  return Math.round(tokensPerSecond * 10) / 10;
}

function sumPools(workers: readonly Worker[]): Pool[] {
  const pools = new Map<string, Pool>();
  for (const { pool, state, slots, running, queued, tokens_per_second } of workers) {
    if (state === 'silent') continue;
    const known = pools.get(pool);
    pools.set(pool, {
      pool,
      workers: (known?.workers ?? 0) + 1,
      slots: (known?.slots ?? 0) + slots,
      running: (known?.running ?? 0) + running,
      queued: (known?.queued ?? 0) + queued,
      tokens_per_second: (known?.tokens_per_second ?? 0) + (tokens_per_second ?? 0),
    });
  }
  return [...pools.values()];
}
