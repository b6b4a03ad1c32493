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

  /** Null until one has ended. */
  get meanMs(): number | null {
    return this.#mean ?? null;
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
    const each = this.#mean ?? this.#takenByFirst();
    if (each === undefined || slots === 0) return undefined;
    return Math.ceil((each * (queued + 1)) / slots);
  }

  /** Until one has ended, they are known to take that long at least. */
  #takenByFirst(): number | undefined {
    return this.#firstStartedAt === undefined ? undefined : this.#now() - this.#firstStartedAt;
  }
}
