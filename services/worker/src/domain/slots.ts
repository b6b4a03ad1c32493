/** How many attempts run, of how many may. */
export class Slots {
  readonly #limit: () => number;
  #running = 0;
  #peak = 0;

  /** The limit may fall: what runs then goes on. */
  constructor(limit: () => number) {
    this.#limit = limit;
  }

  get limit(): number {
    return this.#limit();
  }

  get running(): number {
    return this.#running;
  }

  get hasFree(): boolean {
    return this.#running < this.#limit();
  }

  take(): void {
    this.#running += 1;
    this.#peak = Math.max(this.#peak, this.#running);
  }

  release(): void {
    this.#running -= 1;
  }

  /** The most that ran at once since this was last asked. */
  takePeak(): number {
    const peak = this.#peak;
    this.#peak = this.#running;
    return peak;
  }
}
