const hashStart = 0x811c9dc5;
const hashPrime = 0x01000193;

/** Hashes a text or a part of it to 32 bits, with FNV-1a over UTF-16 units. A previous hash can be continued. */
export function hashText(
  text: string,
  previous = hashStart,
  start = 0,
  end: number = text.length,
): number {
  let hash = previous;
  for (let index = start; index < end; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), hashPrime);
  }
  return hash >>> 0;
}

/** Repeatable random choices: the same seed always gives the same choices. The generator is Mulberry32. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 (included) to 1 (excluded). */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number in this range, including both ends. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.fraction() * items.length)];
    if (item === undefined) throw new RangeError('there is nothing to pick from');
    return item;
  }
}
