/**
 * A limit of time on what comes from outside. Timers run before sockets and threads are read: a process that stood
 * still would miss what has been there all the while. So that is read first, and may still stop the deadline.
 */
export class Deadline {
  readonly #timer: NodeJS.Timeout;
  #turn: NodeJS.Immediate | undefined;

  constructor(limitMs: number, onMissed: () => void) {
    this.#timer = setTimeout(() => {
      this.#turn = setImmediate(onMissed);
    }, limitMs);
  }

  /** It was kept, or nobody asks for it any more. Nothing happens when it was missed. */
  stop(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#turn);
  }
}
