import { observe } from '@sluice/service';
import type { FleetTable } from '../fleet/fleet-table.ts';
import type { WakeQueue } from './wake-queue.ts';

export interface PoolDemandOptions {
  readonly fleet: Pick<FleetTable, 'poolLoads'>;
  readonly wakes: Pick<WakeQueue, 'waitingFor' | 'expectedMs'>;
  readonly clock: () => number;
}

/** The demand for one pool. An autoscaler decides from it how many workers the pool needs. */
export interface DemandOfPool {
  readonly pool: string;
  /**
   * `slots`, `running` and `queued` are sums over all workers that take jobs. They include the jobs of other gateways.
   */
  readonly slots: number;
  readonly running: number;
  readonly queued: number;
  /** Requests of this gateway that wait for a worker of the pool to start. */
  readonly waiting: number;
  /** Requests of this gateway that no worker took, within the last minute. */
  readonly unserved: number;
  /** How long a new request would wait for a slot. Undefined if that is not known. */
  readonly expectedWaitMs: number | undefined;
}

const IDLE = { slots: 0, running: 0, queued: 0, expectedWaitMs: undefined };

/**
 * The demand for each pool. A pool without workers sends no heartbeats, so pools are also known from the models that
 * the catalog listed. A pool that lost its last worker is remembered.
 */
export class PoolDemand {
  readonly #options: PoolDemandOptions;
  readonly #pools = new Map<string, RecentCount>();

  constructor(options: PoolDemandOptions) {
    this.#options = options;
  }

  notePools(pools: Iterable<string>): void {
    for (const pool of pools) this.#recentOf(pool);
  }

  /** Call it when no worker of the pool took a request. */
  noteUnserved(pool: string): void {
    this.#recentOf(pool).add(this.#options.clock());
  }

  read(): DemandOfPool[] {
    const { fleet, wakes, clock } = this.#options;
    const loads = fleet.poolLoads();
    this.notePools(loads.keys());
    const now = clock();
    return Array.from(this.#pools, ([pool, unserved]) => {
      const load = loads.get(pool) ?? IDLE;
      return {
        pool,
        ...load,
        waiting: wakes.waitingFor(pool),
        unserved: unserved.total(now),
        expectedWaitMs: load.slots > 0 ? load.expectedWaitMs : wakes.expectedMs(pool),
      };
    });
  }

  #recentOf(pool: string): RecentCount {
    const known = this.#pools.get(pool);
    if (known !== undefined) return known;
    const recent = new RecentCount();
    this.#pools.set(pool, recent);
    return recent;
  }
}

/**
 * Exports the demand. Every known pool has all values except `expected_wait` at each export, so that a query that
 * combines them finds every pool.
 */
export function observePoolDemand(demand: PoolDemand): void {
  let current: readonly DemandOfPool[] | undefined;
  // All gauges are read in the same turn of the event loop, so the loads are added up once for all of them.
  const read = () => {
    if (current === undefined) setImmediate(() => (current = undefined));
    return (current ??= demand.read());
  };
  observe('sluice.pool.slots', () => read().map(({ pool, slots }) => [slots, { pool }]));
  observe('sluice.pool.running', () => read().map(({ pool, running }) => [running, { pool }]));
  observe('sluice.pool.queued', () => read().map(({ pool, queued }) => [queued, { pool }]));
  observe('sluice.pool.waiting', () => read().map(({ pool, waiting }) => [waiting, { pool }]));
  observe('sluice.pool.unserved', () => read().map(({ pool, unserved }) => [unserved, { pool }]));
  observe('sluice.pool.expected_wait', () =>
    read().flatMap(({ pool, expectedWaitMs }) =>
      expectedWaitMs === undefined ? [] : [[expectedWaitMs / 1_000, { pool }]],
    ),
  );
}

const SPAN_MS = 60_000;
const STEP_MS = 5_000;

/** Counts the events of the last minute, in steps of five seconds. */
class RecentCount {
  readonly #steps: { readonly step: number; count: number }[] = [];

  add(now: number): void {
    const step = Math.floor(now / STEP_MS);
    const latest = this.#steps.at(-1);
    if (latest?.step === step) latest.count += 1;
    else {
      this.#forget(now);
      this.#steps.push({ step, count: 1 });
    }
  }

  total(now: number): number {
    this.#forget(now);
    return this.#steps.reduce((sum, { count }) => sum + count, 0);
  }

  #forget(now: number): void {
    const oldest = Math.floor((now - SPAN_MS) / STEP_MS);
    const kept = this.#steps.findIndex(({ step }) => step >= oldest);
    this.#steps.splice(0, kept === -1 ? this.#steps.length : kept);
  }
}
