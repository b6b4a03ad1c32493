import {
  CONTRACT_VERSION,
  HEARTBEAT_FRESH_MS,
  type ClassLoad,
  type Heartbeat,
  type RuntimeLoad,
} from '@sluice/contracts';

export type WorkerState =
  | 'ready'
  | 'full'
  /** The worker takes no new jobs, and finishes those that it has. */
  | 'draining'
  /** The worker takes no new jobs, and has none left. */
  | 'drained'
  /** The runtime of the worker serves no models at the moment. */
  | 'no models'
  /** The worker uses another version of the contract than this command. */
  | 'incompatible'
  /** The last heartbeat of the worker is too old. */
  | 'silent';

export interface WorkerRow {
  /** Its id, which is new at each start. */
  readonly worker: string;
  /** What people call it. Two workers may have the same name. */
  readonly name: string;
  readonly pool: string;
  /** Its machine, and the address of its runtime. Null for a worker of version 0.2.0. */
  readonly host: string | null;
  readonly runtime: string | null;
  readonly version: string;
  readonly models: readonly string[];
  readonly state: WorkerState;
  readonly slots: number;
  readonly running: number;
  readonly queued: number;
  readonly queue_limit: number;
  /** Null until the second heartbeat, and while the worker is silent. */
  readonly tokens_per_second: number | null;
  /** The load that its runtime reports. Null if the runtime reports none, and while the worker is silent. */
  readonly runtime_load: RuntimeLoad | null;
  /** Absent while all jobs of the worker have the default scheduling class. */
  readonly classes?: readonly ClassLoad[];
}

/** The token rate is measured over this time. */
const RATE_WINDOW_MS = 5_000;
/** A worker is removed from the view this long after its last heartbeat. */
const FORGET_AFTER_MS = 30_000;

interface Sample {
  readonly at: number;
  readonly tokens: number;
}

interface KnownWorker {
  heartbeat: Heartbeat;
  receivedAt: number;
  samples: Sample[];
}

/** The workers, according to their heartbeats. */
export class FleetView {
  readonly #workers = new Map<string, KnownWorker>();

  /** `now` is the time of `performance.now()`, here and in `rows`. */
  update(heartbeat: Heartbeat, now: number): void {
    const known = this.#workers.get(heartbeat.worker);
    const samples = (known?.samples ?? []).filter(({ at }) => now - at <= RATE_WINDOW_MS);
    samples.push({ at: now, tokens: heartbeat.generated_tokens });
    this.#workers.set(heartbeat.worker, { heartbeat, receivedAt: now, samples });
  }

  /** The rows of the table, sorted by pool and then by name. */
  rows(now: number): WorkerRow[] {
    for (const [worker, { receivedAt }] of this.#workers) {
      if (now - receivedAt >= FORGET_AFTER_MS) this.#workers.delete(worker);
    }
    const rows = [...this.#workers.values()].map((known) => rowOf(known, now));
    return rows
      .filter((row) => !isReplaced(row, rows))
      .toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
  }
}

function orderOf({ pool, name, worker }: WorkerRow): string {
  return `${pool} ${name} ${worker}`;
}

/** Whether the row shows a worker that has ended, and another row shows the worker that was started in its place. */
function isReplaced(row: WorkerRow, rows: readonly WorkerRow[]): boolean {
  return (
    row.state === 'silent' &&
    row.host !== null &&
    rows.some(
      (other) =>
        other.state !== 'silent' &&
        other.pool === row.pool &&
        other.name === row.name &&
        other.host === row.host &&
        other.runtime === row.runtime,
    )
  );
}

function rowOf({ heartbeat, receivedAt, samples }: KnownWorker, now: number): WorkerRow {
  const { worker, pool, version, models, load, classes, host, runtime } = heartbeat;
  const silent = now - receivedAt >= HEARTBEAT_FRESH_MS;
  return {
    worker,
    name: heartbeat.worker_name ?? worker,
    pool,
    host: host ?? null,
    runtime: runtime ?? null,
    version,
    models,
    state: silent ? 'silent' : stateOf(heartbeat),
    slots: load.slots,
    running: load.running,
    queued: load.queued,
    queue_limit: load.queue_limit,
    tokens_per_second: silent ? null : tokenRateOf(samples),
    runtime_load: silent ? null : heartbeat.runtime_load,
    ...(classes !== undefined && !silent && { classes }),
  };
}

function stateOf({ contract, draining, models, load }: Heartbeat): WorkerState {
  if (contract !== CONTRACT_VERSION) return 'incompatible';
  if (draining) return load.running + load.queued > 0 ? 'draining' : 'drained';
  if (models.length === 0) return 'no models';
  return load.running >= load.slots && load.queued >= load.queue_limit ? 'full' : 'ready';
}

function tokenRateOf(samples: readonly Sample[]): number | null {
  const first = samples[0];
  const last = samples.at(-1);
  if (first === undefined || last === undefined || last.at === first.at) return null;
  const perSecond = (last.tokens - first.tokens) / ((last.at - first.at) / 1_000);
  return Math.round(perSecond * 10) / 10;
}
