const NONE: ReadonlySet<string> = new Set();

/** An organization whose plan bounds the slots that it may hold on each worker. */
export interface BoundedOrganization {
  readonly organization: string;
  readonly slotsPerWorker: number;
}

/**
 * Counts the attempts of each bounded organization at each worker, so that its jobs are sent to workers where they can
 * start. At a worker where the organization has reached its bound, its next job would wait, even if another worker has a
 * free slot.
 */
export class HeldSlots {
  readonly #counts = new Map<string, Map<string, number>>();

  /** Counts an attempt at the worker. Disposing the result ends the count. */
  hold({ organization }: BoundedOrganization, worker: string): Disposable {
    this.#add(organization, worker, 1);
    return { [Symbol.dispose]: () => this.#add(organization, worker, -1) };
  }

  /** The workers at which the organization has reached its bound. */
  fullFor({ organization, slotsPerWorker }: BoundedOrganization): ReadonlySet<string> {
    const counts = this.#counts.get(organization);
    if (counts === undefined) return NONE;
    const full = new Set<string>();
    for (const [worker, count] of counts) if (count >= slotsPerWorker) full.add(worker);
    return full;
  }

  /** The number of organizations with attempts at any worker. */
  get size(): number {
    return this.#counts.size;
  }

  #add(organization: string, worker: string, change: 1 | -1): void {
    const counts = this.#counts.get(organization) ?? new Map<string, number>();
    this.#counts.set(organization, counts);
    const count = (counts.get(worker) ?? 0) + change;
    if (count > 0) counts.set(worker, count);
    else counts.delete(worker);
    if (counts.size === 0) this.#counts.delete(organization);
  }
}
