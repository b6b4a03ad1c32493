import { crc32 } from 'node:zlib';
import type { Heartbeat, WorkerLoad } from '@sluice/contracts';

/** An entry of a data structure that is ordered by load. */
interface LoadListener {
  loadChanged(): void;
}

/** What this gateway knows about a worker. */
export class WorkerView {
  readonly id: string;
  /** Position in the order of arrival. */
  readonly place: number;
  heartbeat: Heartbeat;
  lastHeartbeatAt: number;
  /** Until this time, other workers are preferred, because this one failed a job. */
  penalizedUntil = 0;
  /** When it last finished a job of this gateway. */
  lastSuccessAt = -Infinity;
  /** Whether it has failed a job since its last success. */
  hasFailed = false;
  /** The pool's number in the index of prompt blocks. */
  readonly poolNumber: number;
  /** The number of its prefix cache. A runtime that restarts has a new one. */
  cacheId: number;
  /** Which part of the expected cached tokens its replies have reported, from 0 to 1. */
  cacheAccuracy = 1;
  readonly listeners: LoadListener[] = [];
  #load: WorkerLoad;
  #offered = 0;

  constructor(
    heartbeat: Heartbeat,
    numbers: { readonly place: number; readonly cacheId: number; readonly now: number },
  ) {
    this.id = heartbeat.worker;
    this.place = numbers.place;
    this.poolNumber = crc32(heartbeat.pool);
    this.cacheId = numbers.cacheId;
    this.heartbeat = heartbeat;
    this.#load = heartbeat.load;
    this.lastHeartbeatAt = numbers.now;
  }

  /** The name of the worker for people. Workers of version 0.2.0 have only an id. */
  get name(): string {
    return this.heartbeat.worker_name ?? this.id;
  }

  get load(): WorkerLoad {
    return this.#load;
  }

  set load(load: WorkerLoad) {
    this.#load = load;
    this.#changed();
  }

  /** Offers of this gateway without an answer yet. For a moment `load` may count one of them too. */
  get offered(): number {
    return this.#offered;
  }

  set offered(offered: number) {
    this.#offered = offered;
    this.#changed();
  }

  get jobs(): number {
    return this.#load.running + this.#load.queued + this.#offered;
  }

  get slots(): number {
    return Math.max(1, this.#load.slots);
  }

  get hasFreeSlot(): boolean {
    return this.jobs < this.slots;
  }

  get loadRatio(): number {
    return this.jobs / this.slots;
  }

  #changed(): void {
    for (const listener of this.listeners) listener.loadChanged();
  }
}
