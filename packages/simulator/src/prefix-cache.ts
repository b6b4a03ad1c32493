export const blockSize = 16;

// Two 32-bit lanes make one 53-bit key, so that chains of different prompts do not meet by chance.
const laneStarts = [0x811c9dc5, 0x9e3779b9] as const;
const lanePrimes = [0x01000193, 0x85ebca6b] as const;

/** Where a sequence stands: the hash of its full blocks and the tokens of the one not yet full. */
interface ChainState {
  readonly lanes: [number, number];
  readonly open: number[];
}

/** Hashes one more token into both lanes. */
function fold(lanes: [number, number], value: number): void {
  lanes[0] = Math.imul(lanes[0] ^ value, lanePrimes[0]);
  lanes[0] ^= lanes[0] >>> 15;
  lanes[1] = Math.imul(lanes[1] ^ value, lanePrimes[1]);
  lanes[1] ^= lanes[1] >>> 13;
}

function keyOf([high, low]: readonly [number, number]): number {
  return (high >>> 0) * 2_097_152 + (low >>> 11);
}

/** What a generation holds of the cache while it runs. */
export interface CachedSequence {
  /** Tokens of the prompt that were found and need no computing. */
  readonly cachedTokens: number;
  /** Adds what was generated, so that the conversation's next turn finds it. */
  extend(tokens: readonly number[]): void;
}

/**
 * A prefix cache as vLLM has it: the key of a block of 16 tokens covers everything before it, a
 * salt separates those who must not learn from each other, and the least recently used blocks go.
 */
export class PrefixCache {
  readonly #capacity: number;
  // A Map remembers the order of insertion: the first key is the least recently used.
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

  /** Looks a prompt up and keeps its full blocks. */
  admit(prompt: readonly number[], space: string): CachedSequence {
    const state: ChainState = { lanes: [...laneStarts], open: [] };
    for (let index = 0; index < space.length; index += 1) {
      fold(state.lanes, space.charCodeAt(index));
    }
    let found = 0;
    let missed = false;
    // The last token is always computed: its result is the first token of the answer.
    const findable = Math.floor((prompt.length - 1) / blockSize);
    let block = 0;
    this.#walk(state, prompt, (known) => {
      missed ||= !known;
      if (!missed && block < findable) found += blockSize;
      block += 1;
    });
    this.#queried += prompt.length;
    this.#hits += found;
    return {
      cachedTokens: found,
      extend: (tokens) => this.#walk(state, tokens, () => undefined),
    };
  }

  #walk(state: ChainState, tokens: readonly number[], visit: (known: boolean) => void): void {
    const { lanes, open } = state;
    for (const token of tokens) {
      open.push(token);
      if (open.length < blockSize) continue;
      for (const one of open) fold(lanes, one);
      open.length = 0;
      visit(this.#touch(keyOf(lanes)));
    }
  }

  /** Makes a block the most recently used, and tells whether it was there. */
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
