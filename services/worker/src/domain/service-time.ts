/** Weight of the newest job: about the last ten count. */
const WEIGHT = 0.2;

/** How long a job holds a slot, lately. */
export class ServiceTime {
  #mean: number | null = null;

  get meanMs(): number | null {
    return this.#mean;
  }

  observe(milliseconds: number): void {
    this.#mean =
      this.#mean === null ? milliseconds : this.#mean + WEIGHT * (milliseconds - this.#mean);
  }

  /** When the next free place is to be expected, with so many jobs in front of it. */
  expectedWaitMs(queued: number, slots: number): number | undefined {
    if (this.#mean === null || slots === 0) return undefined;
    return Math.ceil((this.#mean * (queued + 1)) / slots);
  }
}
