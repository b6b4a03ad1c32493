export interface RoundRobinQueueOptions<Item> {
  readonly weigh: (item: Item) => number;
  /** The largest weight of all waiting items together. */
  readonly maxWeight: number;
  /** The largest weight of the waiting items of one organization. */
  readonly maxWeightPerOrganization: number;
}

interface OrganizationQueue<Item> {
  readonly items: Set<Item>;
  weight: number;
}

/**
 * Items that wait for a thread. Organizations take turns, so that many items of one do not delay those of another. The
 * weight is bounded in total and for each organization.
 */
export class RoundRobinQueue<Item> {
  readonly #options: RoundRobinQueueOptions<Item>;
  readonly #waiting = new Map<string, OrganizationQueue<Item>>();
  #weight = 0;

  constructor(options: RoundRobinQueueOptions<Item>) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Returns false if there is no room for the item. */
  add(organization: string, item: Item): boolean {
    const { weigh, maxWeight, maxWeightPerOrganization } = this.#options;
    const queue = this.#waiting.get(organization) ?? { items: new Set(), weight: 0 };
    const weight = weigh(item);
    if (
      !hasRoom(queue.weight, weight, maxWeightPerOrganization) ||
      !hasRoom(this.#weight, weight, maxWeight)
    ) {
      return false;
    }
    this.#waiting.set(organization, queue);
    queue.items.add(item);
    this.#addWeight(queue, weight);
    return true;
  }

  /** Removes a waiting item. Has no effect if the item no longer waits. */
  delete(organization: string, item: Item): void {
    const queue = this.#waiting.get(organization);
    if (queue === undefined || !queue.items.delete(item)) return;
    this.#addWeight(queue, -this.#options.weigh(item));
    if (queue.items.size === 0) this.#waiting.delete(organization);
  }

  /** Removes the first item of the organization whose turn it is. That organization goes to the end. */
  take(): Item | undefined {
    for (const [organization, queue] of this.#waiting) {
      this.#waiting.delete(organization);
      for (const item of queue.items) {
        queue.items.delete(item);
        this.#addWeight(queue, -this.#options.weigh(item));
        if (queue.items.size > 0) this.#waiting.set(organization, queue);
        return item;
      }
    }
    return undefined;
  }

  #addWeight(queue: OrganizationQueue<Item>, weight: number): void {
    queue.weight += weight;
    this.#weight += weight;
  }
}

/** An empty queue has room for an item of any weight, so that no item is refused forever. */
function hasRoom(waiting: number, weight: number, maxWeight: number): boolean {
  return waiting === 0 || waiting + weight <= maxWeight;
}

/** A pause of the process costs at most one step, an eighth of the limit. */
const STEPS = 8;

/**
 * A time limit for the work of a thread of this process. The time is counted in steps, because a pause of the process
 * also pauses its threads and must not use up the limit. Messages of the thread that arrived before the end are read
 * first, as with `Deadline` in timers.ts.
 */
export class ThreadDeadline {
  readonly #timer: NodeJS.Timeout;
  #turn: NodeJS.Immediate | undefined;

  constructor(limitMs: number, onMissed: () => void) {
    let stepsLeft = STEPS;
    this.#timer = setInterval(() => {
      stepsLeft -= 1;
      if (stepsLeft > 0) return;
      clearInterval(this.#timer);
      this.#turn = setImmediate(onMissed);
    }, limitMs / STEPS);
  }

  /** Call this if the work has ended or is no longer needed. Has no effect on a missed deadline. */
  stop(): void {
    clearInterval(this.#timer);
    clearImmediate(this.#turn);
  }
}
