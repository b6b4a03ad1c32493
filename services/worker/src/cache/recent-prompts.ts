import { BLOCK_ENDS } from '@sluice/contracts';

/** What the cache holds for a block of a prompt. */
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
 * The prompts that were served, the least recently used first, with their tokens. vLLM evicts the blocks that were used
 * longest ago, and the end of a prompt before its beginning. So the number of evicted tokens tells which prompts have
 * lost theirs.
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

  /** A prompt with these blocks is in use, and has this many tokens together with its answer. */
  use(hashes: Int32Array, { prompt, answer }: { prompt: number; answer: number }): void {
    const count = hashes.length;
    if (count === 0) {
      this.#addToLatest(prompt + answer);
      return;
    }
    const end = BLOCK_ENDS[count - 1] ?? 0;
    // The prompt ends before its next block would.
    const characters = (end + (BLOCK_ENDS[count] ?? end)) / 2;
    const perCharacter = prompt / characters;
    for (let index = count - 1; index >= 0; index -= 1) {
      const start = BLOCK_ENDS[index - 1] ?? 0;
      const tokens = ((BLOCK_ENDS[index] ?? 0) - start) * perCharacter;
      const tail = index === count - 1 ? (characters - end) * perCharacter + answer : 0;
      this.#renew(hashes[index] ?? 0, { tokens, tail });
    }
    while (this.#blocks.size > MAX_BLOCKS) this.#dropOldest();
  }

  /**
   * Returns the hashes of blocks that are no longer cached. No more than was evicted, and only while the prompts have
   * more tokens than the cache holds: the cache may have evicted something else, such as blocks of other clients.
   */
  evict({ held, removed }: Eviction): number[] {
    const cold: number[] = [];
    this.#unassigned += removed;
    for (const [hash, entry] of this.#blocks) {
      if (this.#tokens <= held) {
        this.#unassigned = 0;
        break;
      }
      if (!this.#take(entry, 'tail') || !this.#take(entry, 'tokens')) break;
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
  #take(entry: Entry, part: keyof Entry): boolean {
    if (this.#unassigned < entry[part]) return false;
    this.#unassigned -= entry[part];
    this.#tokens -= entry[part];
    entry[part] = 0;
    return true;
  }

  /** Blocks of short prompts have no hash. They are evicted at about the same time as the latest prompt. */
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
