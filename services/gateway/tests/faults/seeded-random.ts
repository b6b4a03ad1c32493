/** Gives the same numbers for the same seed, so that a failure can be reproduced. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** An integer from 0 to `bound` - 1. */
  below(bound: number): number {
    this.#state = (this.#state + 0x9e37_79b9) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 16), 0x85eb_ca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) % bound;
  }
}
