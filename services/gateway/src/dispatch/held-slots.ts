const NONE: ReadonlySet<string> = new Set();

/** An organization whose plan bounds the slots that it may hold on each worker. */
export interface BoundedOrganization {
  readonly organization: string;
  readonly slotsPerWorker: number;
}

/**
 * Counts the attempts of each bounded organization at each worker. At a worker that runs as many as the bound allows,
 * further jobs would wait, even if another worker has a free slot for them.
 */
export class HeldSlots {
  readonly #counts = new Map<string, Map<string, number>>();

  /** Counts an attempt at the worker until it is disposed. */
  hold({ organization }: BoundedOrganization, worker: string): Disposable {
    this.#add(organization, worker, 1);
    return { [Symbol.dispose]: () => this.#add(organization, worker, -1) };
  }

  /** The workers at which the organization has as many attempts as may run there at once. */
  fullFor({ organization, slotsPerWorker }: BoundedOrganization): ReadonlySet<string> {
    const counts = this.#counts.get(organization);
    if (counts === undefined) return NONE;
    const full = new Set<string>();
    for (const [worker, count] of counts) if (count >= slotsPerWorker) full.add(worker);
    return full;
  }

  /** The number of organizations with attempts. */
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
