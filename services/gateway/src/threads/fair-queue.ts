/** What waits, by organization: they take turns, however much one of them has brought. */
export class FairQueue<Item> {
  readonly #waiting = new Map<string, Set<Item>>();

  /** How many of this organization wait. */
  count(organization: string): number {
    return this.#waiting.get(organization)?.size ?? 0;
  }

  add(organization: string, item: Item): void {
    const line = this.#waiting.get(organization);
    if (line === undefined) this.#waiting.set(organization, new Set([item]));
    else line.add(item);
  }

  /** Whether it was still waiting. */
  delete(organization: string, item: Item): boolean {
    const line = this.#waiting.get(organization);
    if (line === undefined || !line.delete(item)) return false;
    if (line.size === 0) this.#waiting.delete(organization);
    return true;
  }

  /** The first of the organization whose turn it is; that organization goes to the end. */
  take(): Item | undefined {
    for (const [organization, line] of this.#waiting) {
      this.#waiting.delete(organization);
      for (const item of line) {
        line.delete(item);
        if (line.size > 0) this.#waiting.set(organization, line);
        return item;
      }
    }
    return undefined;
  }
}
