/**
 * Collects the items that one turn of the event loop produces, and passes them on at the end of the turn. No timer is
 * involved, so a single item is not delayed.
 */
export class TurnBatcher<Item> {
  readonly #flush: (items: Item[]) => void;
  #items: Item[] = [];

  constructor(flush: (items: Item[]) => void) {
    this.#flush = flush;
  }

  /** The number of items of this turn so far. */
  get size(): number {
    return this.#items.length;
  }

  add(item: Item): void {
    if (this.#items.length === 0) setImmediate(this.#endTurn);
    this.#items.push(item);
  }

  /** Passes the items on now. Items that are added during the flush belong to the next batch. */
  flush(): void {
    if (this.#items.length === 0) return;
    const items = this.#items;
    this.#items = [];
    this.#flush(items);
  }

  /** A field, so that no function is created for each turn. */
  readonly #endTurn = (): void => this.flush();
}
