import type { Heartbeat } from '@sluice/contracts';

export interface WantedModel {
  readonly pool: string;
  readonly runtime_model: string;
}

interface IndexedWorker {
  readonly heartbeat: Heartbeat;
  /** Those who came before have smaller ones. */
  readonly place: number;
}

/** The workers by the pools and models of their heartbeats, in the order in which they came. */
export class WorkerIndex<Worker extends IndexedWorker> {
  readonly #pools = new Map<string, Map<string, Worker[]>>();

  of({ pool, runtime_model: model }: WantedModel): readonly Worker[] {
    return this.#pools.get(pool)?.get(model) ?? [];
  }

  add(worker: Worker): void {
    const { pool, models } = worker.heartbeat;
    const workersOf = this.#pools.get(pool) ?? new Map<string, Worker[]>();
    this.#pools.set(pool, workersOf);
    for (const model of new Set(models)) {
      const workers = workersOf.get(model) ?? [];
      workersOf.set(model, workers);
      workers.splice(workers.findLastIndex(({ place }) => place < worker.place) + 1, 0, worker);
    }
  }

  remove(worker: Worker): void {
    const { pool, models } = worker.heartbeat;
    const workersOf = this.#pools.get(pool);
    if (workersOf === undefined) return;
    for (const model of models) {
      const others = workersOf.get(model)?.filter((other) => other !== worker) ?? [];
      if (others.length > 0) workersOf.set(model, others);
      else workersOf.delete(model);
    }
    if (workersOf.size === 0) this.#pools.delete(pool);
  }
}

/** Whether both stand at the same places of the index. */
export function servesTheSame(before: Heartbeat, now: Heartbeat): boolean {
  return (
    before.pool === now.pool &&
    before.models.length === now.models.length &&
    before.models.every((model, index) => model === now.models[index])
  );
}
