const rememberedConversations = 1_000;

/**
 * Counts the replies that broke a promise because the `@sim` line asked for it (`breaks`), for each conversation. A
 * conversation is identified by a hash, so no text is stored.
 */
export class BreachCounter {
  readonly #breaches = new Map<number, number>();

  readonly mayBreak = (conversation: number, times: number): boolean => {
    const breaches = this.#breaches.get(conversation) ?? 0;
    if (breaches >= times) return false;
    this.#breaches.set(conversation, breaches + 1);
    const [oldest] = this.#breaches.keys();
    if (this.#breaches.size > rememberedConversations && oldest !== undefined) {
      this.#breaches.delete(oldest);
    }
    return true;
  };
}
