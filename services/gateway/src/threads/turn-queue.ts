interface Line<Item> {
  readonly items: Set<Item>;
  weight: number;
}

/** What waits, by organization: they take turns, however much one of them has brought. */
export class TurnQueue<Item> {
  readonly #weigh: (item: Item) => number;
  readonly #waiting = new Map<string, Line<Item>>();
  #weight = 0;

  constructor(weigh: (item: Item) => number) {
    this.#weigh = weigh;
  }

  /** Of all that waits. */
  get weight(): number {
    return this.#weight;
  }

  /** Of what waits of this organization. */
  weightOf(organization: string): number {
    return this.#waiting.get(organization)?.weight ?? 0;
  }

  add(organization: string, item: Item): void {
    const line = this.#waiting.get(organization) ?? { items: new Set(), weight: 0 };
    this.#waiting.set(organization, line);
    line.items.add(item);
    this.#addWeight(line, this.#weigh(item));
  }

  /** Nothing happens when it no longer waits. */
  delete(organization: string, item: Item): void {
    const line = this.#waiting.get(organization);
    if (line === undefined || !line.items.delete(item)) return;
    this.#addWeight(line, -this.#weigh(item));
    if (line.items.size === 0) this.#waiting.delete(organization);
  }

  /** The first of the organization whose turn it is; that organization goes to the end. */
  take(): Item | undefined {
    for (const [organization, line] of this.#waiting) {
      this.#waiting.delete(organization);
      for (const item of line.items) {
        line.items.delete(item);
        this.#addWeight(line, -this.#weigh(item));
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
