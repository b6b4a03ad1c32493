export interface TurnQueueOptions<Item> {
  readonly weigh: (item: Item) => number;
  /** What all that waits may weigh, and what waits of one organization. */
  readonly most: number;
  readonly mostOfOne: number;
}

interface Line<Item> {
  readonly items: Set<Item>;
  weight: number;
}

/**
 * What waits for a thread, by organization: they take turns, so that whoever brings much waits for itself alone.
 * Bounded, in all and for each of them.
 */
export class TurnQueue<Item> {
  readonly #options: TurnQueueOptions<Item>;
  readonly #waiting = new Map<string, Line<Item>>();
  #weight = 0;

  constructor(options: TurnQueueOptions<Item>) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Whether there was room for it. */
  add(organization: string, item: Item): boolean {
    const { weigh, most, mostOfOne } = this.#options;
    const line = this.#waiting.get(organization) ?? { items: new Set(), weight: 0 };
    const weight = weigh(item);
    if (!hasRoom(line.weight, weight, mostOfOne) || !hasRoom(this.#weight, weight, most)) {
      return false;
    }
    this.#waiting.set(organization, line);
    line.items.add(item);
    this.#addWeight(line, weight);
    return true;
  }

  /** Nothing happens when it no longer waits. */
  delete(organization: string, item: Item): void {
    const line = this.#waiting.get(organization);
    if (line === undefined || !line.items.delete(item)) return;
    this.#addWeight(line, -this.#options.weigh(item));
    if (line.items.size === 0) this.#waiting.delete(organization);
  }

  /** The first of the organization whose turn it is; that organization goes to the end. */
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

/** Where nothing waits there is room, whatever a single item weighs. */
function hasRoom(waiting: number, weight: number, most: number): boolean {
  return waiting === 0 || waiting + weight <= most;
}
