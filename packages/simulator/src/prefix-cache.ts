export const blockSize = 16;

// Two 32-bit hashes form one 53-bit key, so that different prompts do not collide by chance.
const laneStarts = [0x811c9dc5, 0x9e3779b9] as const;
const lanePrimes = [0x01000193, 0x85ebca6b] as const;

/** The state of a sequence: the hash of its full blocks, and the tokens of the last block that is not full yet. */
interface ChainState {
  readonly lanes: [number, number];
  readonly open: number[];
}

/** Adds one token to both hashes. */
function fold(lanes: [number, number], value: number): void {
  lanes[0] = Math.imul(lanes[0] ^ value, lanePrimes[0]);
  lanes[0] ^= lanes[0] >>> 15;
  lanes[1] = Math.imul(lanes[1] ^ value, lanePrimes[1]);
  lanes[1] ^= lanes[1] >>> 13;
}

/** All 32 bits of one hash, and the upper 21 bits of the other one: 2,097,152 is 2 to the power of 21. */
function keyOf([high, low]: readonly [number, number]): number {
  return (high >>> 0) * 2_097_152 + (low >>> 11);
}

function startState(space: string): ChainState {
  const state: ChainState = { lanes: [...laneStarts], open: [] };
  for (let index = 0; index < space.length; index += 1) {
    fold(state.lanes, space.charCodeAt(index));
  }
  return state;
}

/** Continues a sequence, and visits the key of each block that becomes full. */
function walk(state: ChainState, tokens: readonly number[], visit: (key: number) => void): void {
  const { lanes, open } = state;
  for (const token of tokens) {
    open.push(token);
    if (open.length < blockSize) continue;
    for (const one of open) fold(lanes, one);
    open.length = 0;
    visit(keyOf(lanes));
  }
}

/** The cached sequence of a running generation. */
export interface CachedSequence {
  /** Tokens of the prompt that were found in the cache. */
  readonly cachedTokens: number;
  /** Adds generated tokens, so that the next turn of the conversation finds them. */
  extend(tokens: readonly number[]): void;
}

/**
 * A prefix cache that works as in vLLM. The key of a block of 16 tokens depends on all tokens before it. A salt
 * separates tenants that must not learn from each other's prompts. The least recently used blocks are evicted.
 */
export class PrefixCache {
  readonly #capacity: number;
  // A Map keeps the order of insertion, so the first key is the least recently used one.
  readonly #blocks = new Map<number, true>();
  #queried = 0;
  #hits = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get queriedTokens(): number {
    return this.#queried;
  }

  get hitTokens(): number {
    return this.#hits;
  }

  get blocks(): number {
    return this.#blocks.size;
  }

  /** Looks up a prompt and stores its full blocks. Prompts with different `space` share no blocks. */
  admit(prompt: readonly number[], space: string): CachedSequence {
    const state = startState(space);
    let found = 0;
    let missed = false;
    // The last token is always computed, because its result is the first token of the answer.
    const findableBlocks = Math.floor((prompt.length - 1) / blockSize);
    let block = 0;
    this.#walk(state, prompt, (known) => {
      missed ||= !known;
      if (!missed && block < findableBlocks) found += blockSize;
      block += 1;
    });
    this.#queried += prompt.length;
    this.#hits += found;
    return {
      cachedTokens: found,
      extend: (tokens) => this.#walk(state, tokens, () => undefined),
    };
  }

  /** The tokens of a prompt that {@link admit} would find. Marks no block as used. */
  find(prompt: readonly number[], space: string): number {
    const state = startState(space);
    let found = 0;
    let missed = false;
    const findableTokens = Math.floor((prompt.length - 1) / blockSize) * blockSize;
    walk(state, prompt, (key) => {
      missed ||= !this.#blocks.has(key);
      if (!missed && found < findableTokens) found += blockSize;
    });
    return found;
  }

  #walk(state: ChainState, tokens: readonly number[], visit: (known: boolean) => void): void {
    walk(state, tokens, (key) => visit(this.#touch(key)));
  }

  /** Marks a block as the most recently used one. Returns whether it was cached. */
  #touch(key: number): boolean {
    const known = this.#blocks.delete(key);
    this.#blocks.set(key, true);
    if (this.#blocks.size > this.#capacity) {
      const oldest = this.#blocks.keys().next().value;
      if (oldest !== undefined) this.#blocks.delete(oldest);
    }
    return known;
  }
}
