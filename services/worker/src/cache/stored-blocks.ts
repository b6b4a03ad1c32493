import type { CacheEvent } from './read-kv-events.ts';

type BlockEvent = Exclude<CacheEvent, { kind: 'cleared' }>;

/**
 * The blocks that the prefix cache has stored since the worker receives its events, and that it still holds on any
 * medium. Blocks from before are not known, and their removal says nothing about prompts of this worker.
 */
export class StoredBlocks {
  /** For each medium, the tokens of each block. */
  readonly #media = new Map<string, Map<number, number>>();
  /** The group of layers that is counted: each block of tokens is stored once for each group. */
  #group: number | undefined;
  #heldTokens = 0;
  #removedTokens = 0;

  get heldTokens(): number {
    return this.#heldTokens;
  }

  apply(event: BlockEvent): void {
    const { medium, group } = event.place;
    if (event.kind === 'stored' && event.keepsAll) this.#group ??= group;
    if (group !== this.#group) return;
    const blocks = this.#media.get(medium) ?? new Map<number, number>();
    this.#media.set(medium, blocks);
    for (const block of event.blocks) {
      if (event.kind === 'removed') this.#remove(block, blocks);
      else if (!blocks.has(block)) {
        if (!this.#isHeld(block)) this.#heldTokens += event.tokensOfBlock;
        blocks.set(block, event.tokensOfBlock);
      }
    }
  }

  /** How many tokens were removed since the last call. */
  takeRemovedTokens(): number {
    const removed = this.#removedTokens;
    this.#removedTokens = 0;
    return removed;
  }

  clear(): void {
    this.#media.clear();
    this.#group = undefined;
    this.#heldTokens = 0;
    this.#removedTokens = 0;
  }

  #remove(block: number, blocks: Map<number, number>): void {
    const tokens = blocks.get(block);
    if (tokens === undefined) return;
    blocks.delete(block);
    if (this.#isHeld(block)) return;
    this.#heldTokens -= tokens;
    this.#removedTokens += tokens;
  }

  #isHeld(block: number): boolean {
    for (const blocks of this.#media.values()) if (blocks.has(block)) return true;
    return false;
  }
}
