/**
 * Limits how many requests start in one turn of the event loop. A burst of new requests is spread over several turns,
 * so that older requests are served in between.
 */
export class StartQueue {
  readonly #maxPerTurn: number;
  readonly #waiting: (() => void)[] = [];
  #startedInTurn = 0;

  constructor(maxPerTurn: number) {
    this.#maxPerTurn = maxPerTurn;
  }

  /** Calls `begin` at once, or in a later turn if `maxPerTurn` calls were made in this one. */
  start(begin: () => void): void {
    if (this.#startedInTurn >= this.#maxPerTurn) {
      this.#waiting.push(begin);
      return;
    }
    if (this.#startedInTurn === 0) setImmediate(() => this.#nextTurn());
    this.#startedInTurn += 1;
    begin();
  }

  #nextTurn(): void {
    this.#startedInTurn = 0;
    for (const begin of this.#waiting.splice(0, this.#maxPerTurn)) this.start(begin);
  }
}
