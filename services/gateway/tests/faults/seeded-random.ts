/** The same numbers for the same seed: a failure can be seen again. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 up to, and without, the bound. */
  below(bound: number): number {
    this.#state = (this.#state + 0x9e37_79b9) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 16), 0x85eb_ca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) % bound;
  }
}
