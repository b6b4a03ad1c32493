import { createHash } from 'node:crypto';
import {
  CONTRACT_VERSION,
  HEARTBEAT_FRESH_MS,
  HEARTBEAT_LATE_MS,
  type Heartbeat,
  type WorkerLoad,
} from '@sluice/contracts';
import { WorkerIndex, servesTheSame, type WantedModel } from './worker-index.ts';

/** What this gateway knows of a worker. */
export interface WorkerView {
  readonly id: string;
  /** The worker's place in rendezvous hashing. */
  readonly seed: number;
  /** Those who came before have smaller ones. */
  readonly place: number;
  heartbeat: Heartbeat;
  load: WorkerLoad;
  heardAt: number;
  /** Jobs of this gateway that it has not answered for yet; for a moment its load may count one of them too. */
  offered: number;
  /** It failed a moment ago: others come first until then. */
  restsUntil: number;
  /** When it last ended a job of this gateway well. */
  endedWellAt: number;
  /** Whether it has failed one since then. */
  hasFailed: boolean;
}

/** A worker silent for this long is forgotten. */
const FORGET_AFTER_MS = 60_000;

/** The workers, from their heartbeats and from the loads that ride on frames. */
export class FleetTable {
  readonly #workers = new Map<string, WorkerView>();
  readonly #index = new WorkerIndex<WorkerView>();
  readonly #clock: () => number;
  readonly #arrivalListeners = new Set<() => void>();
  #nextPlace = 0;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Those that were heard within a minute. */
  get size(): number {
    return this.#remembered().length;
  }

  heard(heartbeat: Heartbeat): void {
    const now = this.#clock();
    const known = this.#workers.get(heartbeat.worker);
    const arrived =
      known === undefined || !isFresh(known, now) || begins(known.heartbeat, heartbeat);
    if (known === undefined) {
      this.#add(heartbeat, now);
      this.#forgetOld(now);
    } else {
      this.#renew(heartbeat, known);
      known.load = heartbeat.load;
      known.heardAt = now;
    }
    if (arrived) for (const listener of this.#arrivalListeners) listener();
  }

  /** How many wait for a worker to arrive. */
  get awaitedBy(): number {
    return this.#arrivalListeners.size;
  }

  /** Calls, until told to stop, whenever a worker is heard that was unknown or silent, or whose runtime is back. */
  onArrival(listener: () => void): () => void {
    this.#arrivalListeners.add(listener);
    return () => void this.#arrivalListeners.delete(listener);
  }

  /** Nothing is known of anybody until they are heard again. */
  doubtAll(): void {
    for (const worker of this.#workers.values()) worker.heardAt = Number.NEGATIVE_INFINITY;
  }

  /** It should have been heard by now. */
  isLate(id: string): boolean {
    const heardAt = this.#workers.get(id)?.heardAt ?? Number.NEGATIVE_INFINITY;
    return this.#clock() - heardAt >= HEARTBEAT_LATE_MS;
  }

  /** Its newest load, as a frame of its own brought it. */
  observe(id: string, load: WorkerLoad): void {
    const worker = this.#workers.get(id);
    if (worker !== undefined) worker.load = load;
  }

  /**
   * It failed a job: others come first for so long, or until the function that this returns excuses it. A worker that
   * failed before, and has ended no job well for so long, is not excused. Nor is one that has failed another meanwhile.
   */
  leaveAlone(id: string, durationMs: number): () => void {
    const worker = this.#workers.get(id);
    if (worker === undefined) return () => undefined;
    const now = this.#clock();
    const until = now + durationMs;
    // Bad jobs come several at once: what it did a moment ago still speaks for it.
    const failsAgain = worker.hasFailed && now - worker.endedWellAt >= durationMs;
    worker.hasFailed = true;
    worker.restsUntil = until;
    return () => {
      if (!failsAgain && worker.restsUntil === until) worker.restsUntil = 0;
    };
  }

  endedWell(id: string): void {
    const worker = this.#workers.get(id);
    if (worker === undefined) return;
    worker.endedWellAt = this.#clock();
    worker.hasFailed = false;
  }

  /**
   * Those who may be offered a job of the model. Workers that failed a moment ago are
   * among them only when there are no others: a last chance is better than none.
   */
  candidates(model: WantedModel, except: ReadonlySet<string>): readonly WorkerView[] {
    const now = this.#clock();
    const rested: WorkerView[] = [];
    const resting: WorkerView[] = [];
    for (const worker of this.#index.of(model)) {
      if (except.has(worker.id) || !takesJobs(worker, now)) continue;
      (worker.restsUntil > now ? resting : rested).push(worker);
    }
    return rested.length > 0 ? rested : resting;
  }

  /**
   * Whether the runtimes of the pool are all up, and none has had the model within a minute. A worker that restarts,
   * or whose runtime is down, may have it in a moment.
   */
  lacksModel({ pool, runtime_model: model }: WantedModel): boolean {
    const now = this.#clock();
    const ofPool = this.#remembered().filter(({ heartbeat }) => heartbeat.pool === pool);
    const mayHave = ({ models }: Heartbeat) => models.length === 0 || models.includes(model);
    return (
      ofPool.some((worker) => takesJobs(worker, now)) &&
      !ofPool.some(({ heartbeat }) => mayHave(heartbeat))
    );
  }

  /** When a place is likely to come free among the workers of a model. */
  expectedWaitMs(model: WantedModel): number | undefined {
    const now = this.#clock();
    let shortest: number | undefined;
    for (const worker of this.#index.of(model)) {
      const serviceMs = worker.heartbeat.service_ms;
      if (serviceMs === null || !takesJobs(worker, now)) continue;
      const wait = (serviceMs * (worker.load.queued + 1)) / Math.max(1, worker.load.slots);
      if (shortest === undefined || wait < shortest) shortest = wait;
    }
    return shortest;
  }

  /** For people: those whose last word is no older than a minute. */
  describe(): readonly Record<string, unknown>[] {
    const now = this.#clock();
    return this.#remembered().map(({ id, heartbeat, load, heardAt, offered }) => ({
      id,
      pool: heartbeat.pool,
      models: heartbeat.models,
      draining: heartbeat.draining,
      ...load,
      offered,
      silent_ms: Math.round(now - heardAt),
    }));
  }

  #add(heartbeat: Heartbeat, now: number): void {
    const worker: WorkerView = {
      id: heartbeat.worker,
      seed: createHash('sha256').update(heartbeat.worker).digest().readUInt32BE(0),
      place: this.#nextPlace,
      heartbeat,
      load: heartbeat.load,
      heardAt: now,
      offered: 0,
      restsUntil: 0,
      endedWellAt: -Infinity,
      hasFailed: false,
    };
    this.#nextPlace += 1;
    this.#workers.set(worker.id, worker);
    this.#index.add(worker);
  }

  #renew(heartbeat: Heartbeat, worker: WorkerView): void {
    const moves = !servesTheSame(worker.heartbeat, heartbeat);
    if (moves) this.#index.remove(worker);
    worker.heartbeat = heartbeat;
    if (moves) this.#index.add(worker);
  }

  #remembered(): WorkerView[] {
    const now = this.#clock();
    return [...this.#workers.values()].filter(({ heardAt }) => now - heardAt <= FORGET_AFTER_MS);
  }

  #forgetOld(now: number): void {
    for (const worker of this.#workers.values()) {
      if (now - worker.heardAt <= FORGET_AFTER_MS) continue;
      this.#workers.delete(worker.id);
      this.#index.remove(worker);
    }
  }
}

/** Its runtime is there, or back. */
function begins(before: Heartbeat, now: Heartbeat): boolean {
  return before.models.length === 0 && now.models.length > 0;
}

function isFresh({ heardAt }: WorkerView, now: number): boolean {
  return now - heardAt < HEARTBEAT_FRESH_MS;
}

function takesJobs(worker: WorkerView, now: number): boolean {
  const { draining, contract } = worker.heartbeat;
  return !draining && isFresh(worker, now) && contract === CONTRACT_VERSION;
}
