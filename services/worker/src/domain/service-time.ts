/** Weight of the newest job: about the last ten count. */
const WEIGHT = 0.2;

/** How long a job holds a slot, lately. */
export class ServiceTime {
  readonly #now: () => number;
  #mean: number | undefined;
  #firstStartedAt: number | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Until one has ended: as long as the first one has taken already. */
  get meanMs(): number | null {
    if (this.#mean !== undefined) return this.#mean;
    return this.#firstStartedAt === undefined ? null : this.#now() - this.#firstStartedAt;
  }

  started(): void {
    this.#firstStartedAt ??= this.#now();
  }

  observe(milliseconds: number): void {
    this.#mean =
      this.#mean === undefined ? milliseconds : this.#mean + WEIGHT * (milliseconds - this.#mean);
  }

  /** When the next free place is to be expected, with so many jobs in front of it. */
  expectedWaitMs(queued: number, slots: number): number | undefined {
    const mean = this.meanMs;
    if (mean === null || slots === 0) return undefined;
    return Math.ceil((mean * (queued + 1)) / slots);
  }
}
