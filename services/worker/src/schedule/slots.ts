import type { RuntimeLoad } from '@sluice/contracts';

export interface SlotsOptions {
  /** The configured number. Without it, there are as many slots as the runtime has, but at most the default. */
  readonly setting?: number | undefined;
  /** Whether other clients use the runtime too. Then each of their generations takes a slot, but one slot remains. */
  readonly shared: boolean;
  /** Whether attempts can wait for a slot. If not, a hold is ignored, because it would make the worker refuse them. */
  readonly canWait: boolean;
}

export const DEFAULT_SLOTS = 64;

/**
 * How many attempts run, and how many may run. The supervisor of the runtime sets the limit; the scheduler takes and
 * releases slots.
 */
export class Slots {
  /** While true, no attempt starts even if slots are free, because the runtime may be down. */
  hold = false;
  /** How many requests the runtime works on at once, if it reports that. */
  runtimeSlots: number | undefined;
  readonly #options: SlotsOptions;
  #running = 0;
  /** The most attempts that ran at once since the last probe. */
  #peak = 0;
  #othersAtLastProbe = 0;
  #others = 0;

  constructor(options: SlotsOptions) {
    this.#options = options;
  }

  /** How many attempts may run. If it falls below the number of running attempts, these continue. */
  get limit(): number {
    const { setting, shared } = this.#options;
    const own = setting ?? Math.min(this.runtimeSlots ?? DEFAULT_SLOTS, DEFAULT_SLOTS);
    return shared ? Math.max(1, own - this.#others) : own;
  }

  get running(): number {
    return this.#running;
  }

  get mayStart(): boolean {
    return this.#running < this.limit && !(this.hold && this.#options.canWait);
  }

  /**
   * Generations of other clients on the runtime. The estimate is low on purpose, because each of them takes a slot away
   * from this worker. The runtime may still count attempts that have just ended. Therefore the peak of running attempts
   * is subtracted from its count, and the lower result of two probes is used.
   */
  get otherClientsGenerations(): number {
    return this.#others;
  }

  take(): void {
    this.#running += 1;
    this.#peak = Math.max(this.#peak, this.#running);
  }

  release(): void {
    this.#running -= 1;
  }

  /** To be called with the load that each probe reports. */
  observe(load: RuntimeLoad | undefined): void {
    const seen = load === undefined ? 0 : Math.max(0, load.running + load.waiting - this.#peak);
    this.#peak = this.#running;
    this.#others = Math.min(this.#othersAtLastProbe, seen);
    this.#othersAtLastProbe = seen;
  }
}
