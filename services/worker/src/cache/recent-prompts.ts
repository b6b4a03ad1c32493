import { BLOCK_ENDS } from '@sluice/contracts';

/** What the cache holds for a block of a prompt, in tokens. */
interface Entry {
  /** The tokens of the block itself. */
  tokens: number;
  /** The tokens after it that belong to no block: the end of the prompt, and the answer. */
  tail: number;
}

export interface Eviction {
  /** Tokens that the cache holds. */
  readonly held: number;
  /** Tokens that it has evicted since the last call. */
  readonly removed: number;
}

/** More than the blocks of any cache, so that the memory is bounded if nothing is ever evicted. */
const MAX_BLOCKS = 65_536;

/**
 * The blocks of the prompts that were served, with their tokens. vLLM evicts the least recently used blocks first, and
 * the end of a prompt before its beginning. The blocks here have the same order, so the number of evicted tokens tells
 * which of them were evicted.
 */
export class RecentPrompts {
  readonly #blocks = new Map<number, Entry>();
  #latest: Entry | undefined;
  #tokens = 0;
  /** Evicted tokens that are not yet assigned to a block. */
  #unassigned = 0;

  get size(): number {
    return this.#blocks.size;
  }

  has(hash: number): boolean {
    return this.#blocks.has(hash);
  }

  /** A prompt with these blocks was used. The tokens of the prompt and of the answer are in the cache. */
  use(hashes: Int32Array, { prompt, answer }: { prompt: number; answer: number }): void {
    const count = hashes.length;
    if (count === 0) {
      this.#addToLatest(prompt + answer);
      return;
    }
    const end = BLOCK_ENDS[count - 1] ?? 0;
    // The prompt ends somewhere between the end of its last block and the end of the next one. The middle is assumed.
    const characters = (end + (BLOCK_ENDS[count] ?? end)) / 2;
    const perCharacter = prompt / characters;
    // The last block comes first, because it is evicted first.
    for (let index = count - 1; index >= 0; index -= 1) {
      const start = BLOCK_ENDS[index - 1] ?? 0;
      const tokens = ((BLOCK_ENDS[index] ?? 0) - start) * perCharacter;
      const tail = index === count - 1 ? (characters - end) * perCharacter + answer : 0;
      this.#renew(hashes[index] ?? 0, { tokens, tail });
    }
    while (this.#blocks.size > MAX_BLOCKS) this.#dropOldest();
  }

  /**
   * Removes the oldest blocks, as many as were evicted, and returns their hashes. It stops when the remaining blocks
   * fit into the cache: the other evicted tokens then belong to something else, such as prompts of other clients.
   */
  evict({ held, removed }: Eviction): number[] {
    const cold: number[] = [];
    this.#unassigned += removed;
    for (const [hash, entry] of this.#blocks) {
      if (this.#tokens <= held) {
        this.#unassigned = 0;
        break;
      }
      // The end of the prompt is evicted before the block.
      if (!this.#assignEvicted(entry, 'tail') || !this.#assignEvicted(entry, 'tokens')) break;
      this.#delete(hash);
      cold.push(hash);
    }
    return cold;
  }

  clear(): void {
    this.#blocks.clear();
    this.#latest = undefined;
    this.#tokens = 0;
    this.#unassigned = 0;
  }

  /** Assigns evicted tokens to a part of the entry. Returns false if there are not enough for it. */
  #assignEvicted(entry: Entry, part: keyof Entry): boolean {
    if (this.#unassigned < entry[part]) return false;
    this.#unassigned -= entry[part];
    this.#tokens -= entry[part];
    entry[part] = 0;
    return true;
  }

  /** A prompt without whole blocks has no hash. It is evicted at about the same time as the latest prompt with one. */
  #addToLatest(tokens: number): void {
    if (this.#latest === undefined) return;
    this.#latest.tail += tokens;
    this.#tokens += tokens;
  }

  #renew(hash: number, entry: Entry): void {
    this.#delete(hash);
    this.#blocks.set(hash, entry);
    this.#tokens += entry.tokens + entry.tail;
    this.#latest = entry;
  }

  #dropOldest(): void {
    for (const hash of this.#blocks.keys()) {
      this.#delete(hash);
      return;
    }
  }

  #delete(hash: number): void {
    const entry = this.#blocks.get(hash);
    if (entry === undefined) return;
    this.#blocks.delete(hash);
    this.#tokens -= entry.tokens + entry.tail;
    if (this.#latest === entry) this.#latest = undefined;
  }
}
