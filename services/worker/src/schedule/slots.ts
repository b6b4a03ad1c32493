import type { RuntimeLoad } from '@sluice/contracts';

export interface SlotsOptions {
  /** The operator's setting. Without one there are as many slots as the runtime has, and at most the default. */
  readonly setting?: number | undefined;
  /** Whether others use the runtime too: each of their generations takes a slot away, but one is always left. */
  readonly shared: boolean;
  /** Whether attempts can wait for a slot. If they cannot, a hold would refuse them, so none is kept. */
  readonly canWait: boolean;
}

export const DEFAULT_SLOTS = 64;

/**
 * How many attempts run, and how many may. The supervisor of the runtime decides how many may; the scheduler takes
 * slots and gives them back.
 */
export class Slots {
  /** While true, nothing starts although there are slots: the runtime may be gone. */
  hold = false;
  /** Requests that the runtime works on at once, where it tells. */
  runtimeSlots: number | undefined;
  readonly #options: SlotsOptions;
  #running = 0;
  #peak = 0;
  #foreignAtLastLook = 0;
  #foreign = 0;

  constructor(options: SlotsOptions) {
    this.#options = options;
  }

  /** It may fall: what runs then goes on. */
  get limit(): number {
    const { setting, shared } = this.#options;
    const own = setting ?? Math.min(this.runtimeSlots ?? DEFAULT_SLOTS, DEFAULT_SLOTS);
    return shared ? Math.max(1, own - this.#foreign) : own;
  }

  get running(): number {
    return this.#running;
  }

  get mayStart(): boolean {
    return this.#running < this.limit && !(this.hold && this.#options.canWait);
  }

  /**
   * Generations on the runtime that are not ours. Rather too few than too many, since each may take a slot away:
   * whatever ran here since the last look may still be counted there, and one look alone proves nothing.
   */
  get foreignGenerations(): number {
    return this.#foreign;
  }

  take(): void {
    this.#running += 1;
    this.#peak = Math.max(this.#peak, this.#running);
  }

  release(): void {
    this.#running -= 1;
  }

  /** With what the runtime has just told of its load. */
  look(load: RuntimeLoad | undefined): void {
    const seen = load === undefined ? 0 : Math.max(0, load.running + load.waiting - this.#peak);
    this.#peak = this.#running;
    this.#foreign = Math.min(this.#foreignAtLastLook, seen);
    this.#foreignAtLastLook = seen;
  }
}
