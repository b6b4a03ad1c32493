// Number of conversations that are remembered.
const remembered = 1_000;

/**
 * Counts the replies to each conversation that broke a promise because the `@sim` line ordered it (`breaks`). A
 * conversation is identified by a hash, so no text is stored.
 */
export class BreachCounter {
  readonly #breaches = new Map<number, number>();

  readonly mayBreak = (conversation: number, times: number): boolean => {
    const breaches = this.#breaches.get(conversation) ?? 0;
    if (breaches >= times) return false;
    this.#breaches.set(conversation, breaches + 1);
    const [oldest] = this.#breaches.keys();
    if (this.#breaches.size > remembered && oldest !== undefined) this.#breaches.delete(oldest);
    return true;
  };
}
