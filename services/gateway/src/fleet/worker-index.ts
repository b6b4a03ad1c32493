import type { Heartbeat } from '@sluice/contracts';
import { LoadBuckets } from './load-buckets.ts';
import type { WorkerView } from './worker-view.ts';

export interface WantedModel {
  readonly pool: string;
  readonly runtime_model: string;
}

/** The workers of one model. */
export interface ModelWorkers {
  /** In the order of arrival. */
  readonly all: WorkerView[];
  /** The workers that can be offered jobs, by their load. */
  readonly buckets: LoadBuckets;
}

/** Workers by the pool and models of their heartbeats. */
export class WorkerIndex {
  readonly #pools = new Map<string, Map<string, ModelWorkers>>();

  of({ pool, runtime_model: model }: WantedModel): ModelWorkers | undefined {
    return this.#pools.get(pool)?.get(model);
  }

  /** The groups of workers that the worker belongs to. */
  *groupsOf({ heartbeat: { pool, models } }: WorkerView): Iterable<ModelWorkers> {
    const ofPool = this.#pools.get(pool);
    if (ofPool === undefined) return;
    for (const model of models) {
      const group = ofPool.get(model);
      if (group !== undefined) yield group;
    }
  }

  add(worker: WorkerView): void {
    const { pool, models } = worker.heartbeat;
    const ofPool = this.#pools.get(pool) ?? new Map<string, ModelWorkers>();
    this.#pools.set(pool, ofPool);
    for (const model of new Set(models)) {
      const group = ofPool.get(model) ?? { all: [], buckets: new LoadBuckets() };
      ofPool.set(model, group);
      const { all } = group;
      all.splice(all.findLastIndex(({ place }) => place < worker.place) + 1, 0, worker);
    }
  }

  remove(worker: WorkerView): void {
    const { pool, models } = worker.heartbeat;
    const ofPool = this.#pools.get(pool);
    if (ofPool === undefined) return;
    for (const model of new Set(models)) {
      const group = ofPool.get(model);
      if (group === undefined) continue;
      group.buckets.remove(worker);
      group.all.splice(group.all.indexOf(worker), 1);
      if (group.all.length === 0) ofPool.delete(model);
    }
    if (ofPool.size === 0) this.#pools.delete(pool);
  }
}

/** Whether both heartbeats have the same pool and models, so that the worker keeps its places in the index. */
export function servesTheSame(before: Heartbeat, now: Heartbeat): boolean {
  return (
    before.pool === now.pool &&
    before.models.length === now.models.length &&
    before.models.every((model, index) => model === now.models[index])
  );
}
