// How many conversations are remembered.
const remembered = 1_000;

/** Counts how often each conversation has seen an ordered breach; it keeps hashes, never words. */
export class BreachCounter {
  readonly #seen = new Map<number, number>();

  readonly mayBreak = (conversation: number, times: number): boolean => {
    const seen = this.#seen.get(conversation) ?? 0;
    if (seen >= times) return false;
    this.#seen.set(conversation, seen + 1);
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > remembered && oldest !== undefined) this.#seen.delete(oldest);
    return true;
  };
}
