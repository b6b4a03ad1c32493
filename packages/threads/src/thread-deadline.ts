const STEPS = 8;

/**
 * A limit of time on what a thread of this process does. Counted in steps: a thread stands still whenever its process
 * does, and a step in which both did counts as one of its own length. What the thread has said by the end is read
 * first, as for the deadlines of `@sluice/timing`.
 */
export class ThreadDeadline {
  readonly #timer: NodeJS.Timeout;
  #turn: NodeJS.Immediate | undefined;

  constructor(limitMs: number, onMissed: () => void) {
    let stepsLeft = STEPS;
    this.#timer = setInterval(() => {
      stepsLeft -= 1;
      if (stepsLeft > 0) return;
      clearInterval(this.#timer);
      this.#turn = setImmediate(onMissed);
    }, limitMs / STEPS);
  }

  /** It was kept, or nobody asks for it any more. Nothing happens when it was missed. */
  stop(): void {
    clearInterval(this.#timer);
    clearImmediate(this.#turn);
  }
}
