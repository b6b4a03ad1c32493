import type { RuntimeLoad } from '@sluice/contracts';

export interface SlotsOptions {
  /** The setting. Without it, there are as many slots as the runtime has, but at most the default. */
  readonly setting?: number | undefined;
  /** Whether other clients use the runtime too. Each of their generations then takes one slot, except the last one. */
  readonly shared: boolean;
  /** Whether attempts can wait for a slot. If they cannot, a hold is ignored, because it would refuse them. */
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
   * Generations of other clients on the runtime. This is a low estimate, because each of them takes a slot away. The
   * runtime may still count our generations that have just ended. Therefore the peak of our own generations is
   * subtracted, and the lower result of two probes is used.
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
