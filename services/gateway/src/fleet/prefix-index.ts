/** How many caches one entry names. A prompt that more caches hold is warm nearly everywhere. */
export const HOLDERS = 4;
/** Stands for the holder in an entry whose last holder has lost the block. No cache has this number. */
const NO_CACHE = 2 ** 32 - 1;
/** How many entries share a place in the table. The least recently used of them is replaced. */
const ENTRIES_IN_SET = 8;

/**
 * Which caches hold which prompt blocks: for each block hash, the numbers of the caches that served it last. The size
 * is fixed: typed arrays, filled like a set-associative cache. When it was measured, a `Map` of the same content took ten
 * times the memory, and collecting its garbage delayed streams.
 */
export class PrefixIndex {
  readonly #sets: number;
  readonly #setMask: number;
  #hashes = new Int32Array(0);
  #usedAt = new Uint32Array(0);
  /** Numbers of caches, the latest first; 0 for none. */
  #holders = new Uint32Array(0);
  #time = 0;

  /** The number of entries is rounded up to a power of two. */
  constructor(entries: number) {
    this.#sets = 2 ** Math.ceil(Math.log2(Math.max(1, entries / ENTRIES_IN_SET)));
    this.#setMask = this.#sets - 1;
  }

  /** Notes that the cache has served these blocks. */
  record(hashes: Int32Array, { pool, cache }: { readonly pool: number; readonly cache: number }) {
    if (this.#hashes.length === 0) this.#allocate();
    this.#time = (this.#time + 1) >>> 0;
    for (let index = 0; index < hashes.length; index += 1) {
      this.#recordOne((hashes[index] ?? 0) ^ pool, cache);
    }
  }

  /** Notes that the cache has lost these blocks. */
  forget(hashes: Int32Array, { pool, cache }: { readonly pool: number; readonly cache: number }) {
    for (const hash of hashes) {
      const entry = this.find(hash, pool);
      if (entry >= 0) this.#removeHolder(entry * HOLDERS, cache);
    }
  }

  /** The entry of a block in this pool, or -1. */
  find(hash: number, pool: number): number {
    const key = hash ^ pool;
    const first = (key & this.#setMask) * ENTRIES_IN_SET;
    for (let entry = first; entry < first + ENTRIES_IN_SET; entry += 1) {
      if (this.#hashes[entry] === key && this.#holders[entry * HOLDERS] !== 0) return entry;
    }
    return -1;
  }

  /** The number of a cache of the entry, or 0. Those that served the block last come first. */
  holder(entry: number, place: number): number {
    return this.#holders[entry * HOLDERS + place] ?? 0;
  }

  /** Called at the first prompt and not before, because the table takes megabytes. */
  #allocate(): void {
    const entries = this.#sets * ENTRIES_IN_SET;
    this.#hashes = new Int32Array(entries);
    this.#usedAt = new Uint32Array(entries);
    this.#holders = new Uint32Array(entries * HOLDERS);
  }

  #recordOne(key: number, cache: number): void {
    const first = (key & this.#setMask) * ENTRIES_IN_SET;
    let replaced = first;
    let greatestAge = -1;
    for (let entry = first; entry < first + ENTRIES_IN_SET; entry += 1) {
      if (this.#holders[entry * HOLDERS] === 0) {
        // Entries are filled in order, so the rest of the set is empty too.
        replaced = entry;
        break;
      }
      if (this.#hashes[entry] === key) {
        this.#usedAt[entry] = this.#time;
        this.#moveToFront(entry * HOLDERS, cache);
        return;
      }
      // With `>>> 0`, the age is right even after `#time` has passed 2^32 and begun again at 0.
      const age = (this.#time - (this.#usedAt[entry] ?? 0)) >>> 0;
      if (age > greatestAge) {
        greatestAge = age;
        replaced = entry;
      }
    }
    this.#hashes[replaced] = key;
    this.#usedAt[replaced] = this.#time;
    this.#holders.fill(0, replaced * HOLDERS, (replaced + 1) * HOLDERS);
    this.#holders[replaced * HOLDERS] = cache;
  }

  #removeHolder(start: number, cache: number): void {
    const end = start + HOLDERS;
    // `indexOf` would search the whole table for a cache that the entry does not name.
    let at = start;
    while (at < end && this.#holders[at] !== cache) at += 1;
    if (at === end) return;
    this.#holders.copyWithin(at, at + 1, end);
    this.#holders[end - 1] = 0;
    // An entry without a holder counts as unused, and `#recordOne` stops at the first unused entry.
    if (this.#holders[start] === 0) this.#holders[start] = NO_CACHE;
  }

  #moveToFront(start: number, cache: number): void {
    let moved = cache;
    for (let at = start; at < start + HOLDERS; at += 1) {
      const next = this.#holders[at] ?? 0;
      this.#holders[at] = moved;
      if (next === cache || next === NO_CACHE) return;
      moved = next;
    }
  }
}
