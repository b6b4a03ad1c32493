import type { RuntimeLoad } from '@sluice/contracts';

/**
 * How many generations on the runtime are not ours. Rather too few than too many, since each takes a slot away:
 * whatever ran here since the last look may still be counted there, and one look alone proves nothing.
 */
export class ForeignLoad {
  #atLastLook = 0;
  #generations = 0;

  get generations(): number {
    return this.#generations;
  }

  /** With the most of our own that ran at once since the last look. */
  look(load: RuntimeLoad | undefined, ownPeak: number): void {
    const seen = load === undefined ? 0 : Math.max(0, load.running + load.waiting - ownPeak);
    this.#generations = Math.min(this.#atLastLook, seen);
    this.#atLastLook = seen;
  }
}
