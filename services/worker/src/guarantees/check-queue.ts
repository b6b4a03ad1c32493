export interface CheckQueueBounds {
  readonly most: number;
  readonly mostOfOne: number;
}

/**
 * What waits for the one thread, by organization: they take turns, so that whoever brings much waits for itself
 * alone. Bounded, in all and for each of them.
 */
export class CheckQueue<Item> {
  readonly #bounds: CheckQueueBounds;
  readonly #waiting = new Map<string, Item[]>();
  #size = 0;

  constructor(bounds: CheckQueueBounds) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#size;
  }

  /** Whether there was room for it. */
  add(organization: string, item: Item): boolean {
    const { most, mostOfOne } = this.#bounds;
    const own = this.#waiting.get(organization);
    if (this.#size >= most || (own?.length ?? 0) >= mostOfOne) return false;
    if (own === undefined) this.#waiting.set(organization, [item]);
    else own.push(item);
    this.#size += 1;
    return true;
  }

  /** The first of the organization whose turn it is; that organization goes to the end. */
  take(): Item | undefined {
    const [next] = this.#waiting;
    if (next === undefined) return undefined;
    const [organization, items] = next;
    const item = items.shift();
    this.#waiting.delete(organization);
    if (items.length > 0) this.#waiting.set(organization, items);
    this.#size -= 1;
    return item;
  }
}
