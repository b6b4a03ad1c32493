export interface RoundRobinQueueOptions<Item> {
  readonly weigh: (item: Item) => number;
  /** The largest weight of all waiting items together, and of the waiting items of one organization. */
  readonly maxWeight: number;
  readonly maxWeightPerOrganization: number;
}

interface Line<Item> {
  readonly items: Set<Item>;
  weight: number;
}

/**
 * Items that wait for a thread. Organizations take turns, so that many items of one do not delay those of another. The
 * weight is bounded in total and for each organization.
 */
export class RoundRobinQueue<Item> {
  readonly #options: RoundRobinQueueOptions<Item>;
  readonly #waiting = new Map<string, Line<Item>>();
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
    const line = this.#waiting.get(organization) ?? { items: new Set(), weight: 0 };
    const weight = weigh(item);
    if (
      !hasRoom(line.weight, weight, maxWeightPerOrganization) ||
      !hasRoom(this.#weight, weight, maxWeight)
    ) {
      return false;
    }
    this.#waiting.set(organization, line);
    line.items.add(item);
    this.#addWeight(line, weight);
    return true;
  }

  /** Removes a waiting item. Has no effect if the item no longer waits. */
  delete(organization: string, item: Item): void {
    const line = this.#waiting.get(organization);
    if (line === undefined || !line.items.delete(item)) return;
    this.#addWeight(line, -this.#options.weigh(item));
    if (line.items.size === 0) this.#waiting.delete(organization);
  }

  /** Removes the first item of the organization whose turn it is. That organization goes to the end. */
  take(): Item | undefined {
    for (const [organization, line] of this.#waiting) {
      this.#waiting.delete(organization);
      for (const item of line.items) {
        line.items.delete(item);
        this.#addWeight(line, -this.#options.weigh(item));
        if (line.items.size > 0) this.#waiting.set(organization, line);
        return item;
      }
    }
    return undefined;
  }

  #addWeight(line: Line<Item>, weight: number): void {
    line.weight += weight;
    this.#weight += weight;
  }
}

/** An empty queue has room for an item of any weight, so that no item is refused forever. */
function hasRoom(waiting: number, weight: number, maxWeight: number): boolean {
  return waiting === 0 || waiting + weight <= maxWeight;
}

const STEPS = 8;

/**
 * A time limit for the work of a thread of this process. The time is counted in steps. If the process is paused, its
 * threads are paused too, and the pause then costs at most one step. Messages of the thread that arrived before the end
 * are read first, as with `Deadline` in timers.ts.
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
