import {
  CONTRACT_VERSION,
  HEARTBEAT_FRESH_MS,
  HEARTBEAT_LATE_MS,
  SCHEDULING_CLASSES,
  decodeBlockHashes,
  type Heartbeat,
  type PromptPrefix,
  type WorkerLoad,
} from '@sluice/contracts';
import { chooseWorker, type WorkerChoice } from './choose-worker.ts';
import { FullOrganizations } from './full-organizations.ts';
import { poolLoad, type PoolLoad } from './pool-load.ts';
import { PrefixIndex } from './prefix-index.ts';
import { WorkerIndex, servesTheSame, type ModelWorkers, type WantedModel } from './worker-index.ts';
import { WorkerView } from './worker-view.ts';

/** A worker silent for this long is forgotten. */
const FORGET_AFTER_MS = 60_000;
const DEFAULT_PREFIX_ENTRIES = 262_144;
/** The weight of one reply in the moving average of `cacheAccuracy`. */
const ACCURACY_STEP = 0.1;

/** What the choice of a worker for a job depends on, besides the workers. */
export interface Placement {
  readonly prefix: PromptPrefix;
  /** The ids of workers that must not be chosen. */
  readonly except: ReadonlySet<string>;
  readonly random: () => number;
}

/** All known workers, from their heartbeats and from the loads in their frames. */
export class FleetTable {
  readonly #workers = new Map<string, WorkerView>();
  readonly #index = new WorkerIndex();
  readonly #prefixes: PrefixIndex;
  readonly #workersOfCaches = new Map<number, WorkerView>();
  readonly #penalized = new Set<WorkerView>();
  readonly #full = new FullOrganizations();
  readonly #clock: () => number;
  readonly #arrivalListeners = new Set<() => void>();
  #nextPlace = 0;
  #nextCacheId = 1;
  readonly #workerOfCache = (cache: number) => this.#workersOfCaches.get(cache);

  constructor(clock: () => number, prefixEntries = DEFAULT_PREFIX_ENTRIES) {
    this.#clock = clock;
    this.#prefixes = new PrefixIndex(prefixEntries);
  }

  /** The number of workers with a heartbeat within the last minute. */
  get size(): number {
    return this.#remembered().length;
  }

  /** The name of a worker for people. */
  nameOf(id: string): string {
    return this.#workers.get(id)?.name ?? id;
  }

  update(heartbeat: Heartbeat): void {
    const now = this.#clock();
    const known = this.#workers.get(heartbeat.worker);
    this.#full.update(known?.heartbeat, heartbeat);
    const arrived =
      known === undefined || !isFresh(known, now) || becomesUsable(known.heartbeat, heartbeat);
    if (known === undefined) {
      this.#add(heartbeat, now);
      this.#forgetOld(now);
    } else {
      this.#renew(heartbeat, known, now);
    }
    this.#learnBlocks(heartbeat);
    if (arrived) for (const listener of this.#arrivalListeners) listener();
  }

  /** The number of jobs that wait for a worker to arrive. */
  get waiterCount(): number {
    return this.#arrivalListeners.size;
  }

  /**
   * Calls the listener when a worker arrives, returns, regains models or is no longer drained. Returns a function that
   * removes the listener.
   */
  onArrival(listener: () => void): () => void {
    this.#arrivalListeners.add(listener);
    return () => void this.#arrivalListeners.delete(listener);
  }

  /** Takes every worker out of use until its next heartbeat. */
  markAllStale(): void {
    for (const worker of this.#workers.values()) worker.lastHeartbeatAt = Number.NEGATIVE_INFINITY;
  }

  /** Whether the worker's heartbeat is overdue. */
  isLate(id: string): boolean {
    const lastHeartbeatAt = this.#workers.get(id)?.lastHeartbeatAt ?? Number.NEGATIVE_INFINITY;
    return this.#clock() - lastHeartbeatAt >= HEARTBEAT_LATE_MS;
  }

  /** Stores the load that a frame of the worker reported. */
  observe(id: string, load: WorkerLoad): void {
    const worker = this.#workers.get(id);
    if (worker !== undefined) worker.load = load;
  }

  /**
   * Prefers other workers for this long, because the worker failed a job. The returned function undoes the penalty. It
   * does nothing if the worker was penalized again since, or if this was not its first failure and its last success was
   * more than `durationMs` ago.
   */
  penalize(id: string, durationMs: number): () => void {
    const worker = this.#workers.get(id);
    if (worker === undefined) return () => undefined;
    const now = this.#clock();
    const until = now + durationMs;
    // Several invalid jobs often arrive at once. After a recent success they are the likely cause, not the worker.
    const failsAgain = worker.hasFailed && now - worker.lastSuccessAt >= durationMs;
    worker.hasFailed = true;
    worker.penalizedUntil = until;
    this.#penalized.add(worker);
    for (const { buckets } of this.#index.groupsOf(worker)) buckets.remove(worker);
    return () => {
      if (failsAgain || worker.penalizedUntil !== until) return;
      worker.penalizedUntil = 0;
      this.#settle(worker, this.#clock());
    };
  }

  recordSuccess(id: string): void {
    const worker = this.#workers.get(id);
    if (worker === undefined) return;
    worker.lastSuccessAt = this.#clock();
    worker.hasFailed = false;
  }

  /** The ids of the workers at which the organization holds all slots that its plan allows. */
  fullFor(organization: string): ReadonlySet<string> {
    return this.#full.workersFor(organization);
  }

  /** Workers that can be offered a job of the model. Penalized workers are returned only if there are no others. */
  candidates(model: WantedModel, except: ReadonlySet<string>): readonly WorkerView[] {
    const now = this.#clock();
    const preferred: WorkerView[] = [];
    const penalized: WorkerView[] = [];
    for (const worker of this.#index.of(model)?.all ?? []) {
      if (except.has(worker.id) || !acceptsJobs(worker, now)) continue;
      (worker.penalizedUntil > now ? penalized : preferred).push(worker);
    }
    return preferred.length > 0 ? preferred : penalized;
  }

  /** The worker to offer a job of the model to. A penalized worker is chosen only if there is no other. */
  choose(model: WantedModel, { prefix, except, random }: Placement): WorkerChoice | undefined {
    const group = this.#index.of(model);
    if (group === undefined) return undefined;
    const now = this.#clock();
    this.#endPenalties(now);
    let stale: WorkerView[] | undefined;
    const accepts = (worker: WorkerView) => {
      if (isFresh(worker, now)) return except.size === 0 || !except.has(worker.id);
      (stale ??= []).push(worker);
      return false;
    };
    const choice = chooseWorker({
      buckets: group.buckets,
      index: this.#prefixes,
      prefix,
      workerOfCache: this.#workerOfCache,
      accepts,
      random,
    });
    // Stale workers leave the buckets until their next heartbeat, so that the next choices do not find them again.
    if (stale !== undefined) for (const worker of stale) this.#settle(worker, now);
    return choice ?? this.#choosePenalized(group, accepts);
  }

  /** Notes that the worker is about to read this prompt, so that its cache will hold it. */
  recordPrompt({ cacheId: cache, poolNumber: pool }: WorkerView, { hashes }: PromptPrefix): void {
    if (hashes.length > 0) this.#prefixes.record(hashes, { pool, cache });
  }

  /** Compares the cached tokens that a reply reported with those that were expected. */
  noteCachedTokens(
    worker: WorkerView,
    tokens: { readonly expected: number; readonly reported: number },
  ) {
    const accuracy = Math.min(1, tokens.reported / tokens.expected);
    worker.cacheAccuracy += ACCURACY_STEP * (accuracy - worker.cacheAccuracy);
  }

  /**
   * Whether every runtime of the pool is up and none has had the model within a minute. A worker that restarts or
   * whose runtime is down may soon have the model.
   */
  lacksModel({ pool, runtime_model: model }: WantedModel): boolean {
    const now = this.#clock();
    const ofPool = this.#remembered().filter(({ heartbeat }) => heartbeat.pool === pool);
    const mayHave = ({ models }: Heartbeat) => models.length === 0 || models.includes(model);
    return (
      ofPool.some((worker) => acceptsJobs(worker, now)) &&
      !ofPool.some(({ heartbeat }) => mayHave(heartbeat))
    );
  }

  /** The load of each pool with a worker that takes jobs. A draining worker is not part of what its pool can do. */
  poolLoads(): ReadonlyMap<string, PoolLoad> {
    const now = this.#clock();
    const accepting = [...this.#workers.values()].filter((worker) => acceptsJobs(worker, now));
    const pools = Map.groupBy(accepting, ({ heartbeat }) => heartbeat.pool);
    return new Map(Array.from(pools, ([pool, workers]) => [pool, poolLoad(workers)]));
  }

  /** Estimates when a job of the scheduling class gets a slot at one of the model's workers. */
  expectedWaitMs(
    model: WantedModel,
    schedulingClass: number = SCHEDULING_CLASSES.default,
  ): number | undefined {
    const now = this.#clock();
    let shortest: number | undefined;
    for (const worker of this.#index.of(model)?.all ?? []) {
      const serviceMs = worker.heartbeat.service_ms;
      if (serviceMs === null || !acceptsJobs(worker, now)) continue;
      const ahead = queuedAhead(worker, schedulingClass);
      const wait = (serviceMs * (ahead + 1)) / Math.max(1, worker.load.slots);
      if (shortest === undefined || wait < shortest) shortest = wait;
    }
    return shortest;
  }

  /** The workers with a heartbeat within the last minute, for the debug page. */
  describe(): readonly Record<string, unknown>[] {
    const now = this.#clock();
    return this.#remembered().map(({ id, name, heartbeat, load, lastHeartbeatAt, offered }) => ({
      name,
      id,
      pool: heartbeat.pool,
      models: heartbeat.models,
      draining: heartbeat.draining,
      ...load,
      offered,
      silent_ms: Math.round(now - lastHeartbeatAt),
    }));
  }

  #add(heartbeat: Heartbeat, now: number): void {
    const cacheId = this.#nextCacheId;
    const worker = new WorkerView(heartbeat, { place: this.#nextPlace, cacheId, now });
    this.#nextPlace += 1;
    this.#nextCacheId += 1;
    this.#workers.set(worker.id, worker);
    this.#workersOfCaches.set(cacheId, worker);
    this.#index.add(worker);
    this.#settle(worker, now);
  }

  #renew(heartbeat: Heartbeat, worker: WorkerView, now: number): void {
    const isEmptied = worker.heartbeat.cache_epoch !== heartbeat.cache_epoch;
    if (isEmptied || gainsModels(worker.heartbeat, heartbeat)) this.#emptyCache(worker);
    const moves = !servesTheSame(worker.heartbeat, heartbeat);
    if (moves) this.#index.remove(worker);
    worker.heartbeat = heartbeat;
    if (moves) this.#index.add(worker);
    worker.load = heartbeat.load;
    worker.lastHeartbeatAt = now;
    this.#settle(worker, now);
  }

  /** Gives the worker a new cache number, because the index still has the old content under the old one. */
  #emptyCache(worker: WorkerView): void {
    this.#workersOfCaches.delete(worker.cacheId);
    worker.cacheId = this.#nextCacheId;
    this.#nextCacheId += 1;
    this.#workersOfCaches.set(worker.cacheId, worker);
  }

  /** Puts the worker into the buckets of its models if it can be offered jobs, and removes it otherwise. */
  #settle(worker: WorkerView, now: number): void {
    if (this.#workers.get(worker.id) !== worker) return;
    const offered = acceptsJobs(worker, now) && worker.penalizedUntil <= now;
    for (const { buckets } of this.#index.groupsOf(worker)) {
      if (offered) buckets.add(worker);
      else buckets.remove(worker);
    }
  }

  #endPenalties(now: number): void {
    for (const worker of this.#penalized) {
      if (worker.penalizedUntil > now) continue;
      this.#penalized.delete(worker);
      this.#settle(worker, now);
    }
  }

  #choosePenalized(
    { all }: ModelWorkers,
    accepts: (worker: WorkerView) => boolean,
  ): WorkerChoice | undefined {
    if (this.#penalized.size === 0) return undefined;
    const now = this.#clock();
    const left = all.filter((worker) => acceptsJobs(worker, now) && accepts(worker));
    const [worker] = left.toSorted((one, other) => one.loadRatio - other.loadRatio);
    return worker && { worker, reason: 'least_loaded', expectedCachedTokens: 0 };
  }

  /** Learns from a heartbeat which blocks the jobs of all gateways have added to the worker's cache or displaced. */
  #learnBlocks({ worker: id, prefix_blocks: served, cold_blocks: cold }: Heartbeat): void {
    const worker = this.#workers.get(id);
    if (worker === undefined) return;
    const place = { pool: worker.poolNumber, cache: worker.cacheId };
    if (cold !== undefined) this.#prefixes.forget(decodeBlockHashes(cold), place);
    if (served !== undefined) this.#prefixes.record(decodeBlockHashes(served), place);
  }

  #remembered(): WorkerView[] {
    const now = this.#clock();
    return [...this.#workers.values()].filter(
      ({ lastHeartbeatAt }) => now - lastHeartbeatAt <= FORGET_AFTER_MS,
    );
  }

  #forgetOld(now: number): void {
    for (const worker of this.#workers.values()) {
      if (now - worker.lastHeartbeatAt <= FORGET_AFTER_MS) continue;
      this.#workers.delete(worker.id);
      this.#workersOfCaches.delete(worker.cacheId);
      this.#penalized.delete(worker);
      this.#index.remove(worker);
      this.#full.update(worker.heartbeat, undefined);
    }
  }
}

/** Whether a worker without models has models now: its runtime has started or returned. */
function gainsModels(before: Heartbeat, now: Heartbeat): boolean {
  return before.models.length === 0 && now.models.length > 0;
}

/** Whether a worker serves now that did not before: its runtime has started, or its drain has ended. */
function becomesUsable(before: Heartbeat, now: Heartbeat): boolean {
  return gainsModels(before, now) || (before.draining && !now.draining);
}

/** How many queued jobs have the same or a higher scheduling class. */
function queuedAhead({ heartbeat, load }: WorkerView, schedulingClass: number): number {
  // A worker leaves the classes out while all its jobs have the default class.
  if (heartbeat.classes === undefined) {
    return schedulingClass > SCHEDULING_CLASSES.default ? 0 : load.queued;
  }
  let ahead = 0;
  for (const { class: number, queued } of heartbeat.classes) {
    if (number >= schedulingClass) ahead += queued;
  }
  return ahead;
}

function isFresh({ lastHeartbeatAt }: WorkerView, now: number): boolean {
  return now - lastHeartbeatAt < HEARTBEAT_FRESH_MS;
}

function acceptsJobs(worker: WorkerView, now: number): boolean {
  const { draining, contract } = worker.heartbeat;
  return !draining && isFresh(worker, now) && contract === CONTRACT_VERSION;
}
