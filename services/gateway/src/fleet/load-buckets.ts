import type { WorkerView } from './worker-view.ts';

/** The number of levels for loads below one job per slot. */
const LEVELS_PER_SLOT = 256;
/** The number of levels for higher loads, with which jobs queue. */
const QUEUE_LEVELS = 4_096;
/** The number of these levels for each queued job per slot. */
const LEVELS_PER_QUEUED = 64;

/** A worker in the buckets of one model. */
class LoadEntry {
  readonly worker: WorkerView;
  readonly loadChanged: () => void;
  level = -1;
  position = 0;
  /** What the entry adds to the sums of its buckets. */
  jobs = 0;
  slots = 0;

  constructor(worker: WorkerView, buckets: LoadBuckets) {
    this.worker = worker;
    this.loadChanged = () => buckets.update(this);
  }
}

/**
 * The workers of one model that can be offered jobs, by how loaded they are. Finding a worker with the least load takes
 * the same time for any number of workers, unlike sorting them.
 */
export class LoadBuckets {
  readonly #levels: LoadEntry[][] = [];
  readonly #entries = new Map<WorkerView, LoadEntry>();
  /** No level below this one has a worker. */
  #lowest = 0;
  #jobs = 0;
  #slots = 0;

  /** The jobs of all workers in the buckets. */
  get jobs(): number {
    return this.#jobs;
  }

  get slots(): number {
    return this.#slots;
  }

  has(worker: WorkerView): boolean {
    return this.#entries.has(worker);
  }

  add(worker: WorkerView): void {
    if (this.#entries.has(worker)) return;
    const entry = new LoadEntry(worker, this);
    this.#entries.set(worker, entry);
    worker.listeners.push(entry);
    this.update(entry);
  }

  remove(worker: WorkerView): void {
    const entry = this.#entries.get(worker);
    if (entry === undefined) return;
    this.#entries.delete(worker);
    worker.listeners.splice(worker.listeners.indexOf(entry), 1);
    this.#takeOut(entry);
    this.#jobs -= entry.jobs;
    this.#slots -= entry.slots;
  }

  /** To be called when the load of the entry's worker has changed. */
  update(entry: LoadEntry): void {
    const { jobs, slots } = entry.worker;
    this.#jobs += jobs - entry.jobs;
    this.#slots += slots - entry.slots;
    entry.jobs = jobs;
    entry.slots = slots;
    const level = levelOf(jobs, slots);
    if (level === entry.level) return;
    this.#takeOut(entry);
    const bucket = (this.#levels[level] ??= []);
    entry.level = level;
    entry.position = bucket.length;
    bucket.push(entry);
    this.#lowest = Math.min(this.#lowest, level);
  }

  /**
   * An accepted worker of the lowest level that has any. It is the less loaded of two random ones, so that gateways
   * which know the same loads do not all choose the same worker.
   */
  leastLoaded(
    accepts: (worker: WorkerView) => boolean,
    random: () => number,
  ): WorkerView | undefined {
    while (this.#lowest < this.#levels.length && this.#isEmpty(this.#lowest)) this.#lowest += 1;
    for (let level = this.#lowest; level < this.#levels.length; level += 1) {
      const bucket = this.#levels[level] ?? [];
      const first = this.#firstFrom(bucket, { start: random(), accepts });
      if (first === undefined) continue;
      const second = this.#firstFrom(bucket, { start: random(), accepts });
      return second !== undefined && second.loadRatio < first.loadRatio ? second : first;
    }
    return undefined;
  }

  #isEmpty(level: number): boolean {
    return (this.#levels[level]?.length ?? 0) === 0;
  }

  /** The first accepted worker at or after a position. `start` is the position as a share of the bucket's length. */
  #firstFrom(
    bucket: readonly LoadEntry[],
    { start, accepts }: { start: number; accepts: (worker: WorkerView) => boolean },
  ): WorkerView | undefined {
    const first = Math.floor(start * bucket.length);
    for (let step = 0; step < bucket.length; step += 1) {
      const worker = bucket[(first + step) % bucket.length]?.worker;
      if (worker !== undefined && accepts(worker)) return worker;
    }
    return undefined;
  }

  #takeOut(entry: LoadEntry): void {
    const bucket = this.#levels[entry.level];
    if (bucket === undefined) return;
    const last = bucket.pop();
    if (last !== undefined && last !== entry) {
      bucket[entry.position] = last;
      last.position = entry.position;
    }
    entry.level = -1;
  }
}

function levelOf(jobs: number, slots: number): number {
  if (jobs < slots) return Math.floor((jobs / slots) * LEVELS_PER_SLOT);
  const above = Math.floor((jobs / slots - 1) * LEVELS_PER_QUEUED);
  return LEVELS_PER_SLOT + Math.min(QUEUE_LEVELS - 1, above);
}
