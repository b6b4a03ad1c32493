import type { CacheEvent } from './read-kv-events.ts';

type BlockEvent = Exclude<CacheEvent, { kind: 'cleared' }>;

/**
 * The blocks that the prefix cache holds on any medium. Blocks that were stored before the worker began to receive
 * events are not known, and their removal is ignored.
 */
export class StoredBlocks {
  /** For each medium, the tokens of each block. */
  readonly #media = new Map<string, Map<number, number>>();
  /** The group of layers that is counted. Each block is stored once for each group, but must be counted only once. */
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
