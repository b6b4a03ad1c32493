/**
 * What waits for the one thread, by organization: they take turns, so that whoever brings much waits for itself
 * alone. Bounded.
 */
export class CheckQueue<Item> {
  readonly #capacity: number;
  readonly #waiting = new Map<string, Item[]>();
  #size = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#size;
  }

  /** Whether there was room for it. */
  add(organization: string, item: Item): boolean {
    if (this.#size >= this.#capacity) return false;
    const own = this.#waiting.get(organization);
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
