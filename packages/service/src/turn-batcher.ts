/**
 * Collects what a turn of the event loop produces, and hands it over at the end of the turn. No timer delays
 * anything: what is alone in its turn leaves with it.
 */
export class TurnBatcher<Item> {
  readonly #flush: (items: Item[]) => void;
  #items: Item[] = [];

  constructor(flush: (items: Item[]) => void) {
    this.#flush = flush;
  }

  /** Items of this turn so far. */
  get size(): number {
    return this.#items.length;
  }

  add(item: Item): void {
    if (this.#items.length === 0) setImmediate(this.#endTurn);
    this.#items.push(item);
  }

  /** One function for all turns. What is added during the flush belongs to the next batch. */
  readonly #endTurn = (): void => {
    const items = this.#items;
    this.#items = [];
    this.#flush(items);
  };
}
