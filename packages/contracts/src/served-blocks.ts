import { decodeBlockHashes, encodeBlockHashes } from './prefix-blocks.ts';

/** About as many as the blocks of 300 prompts of 4,000 tokens. */
const MAX_KNOWN = 8_192;
const DROPPED_AT_ONCE = 256;
const MAX_NEW_IN_HEARTBEAT = 256;
const REPEATED_IN_HEARTBEAT = 64;

/**
 * The hashes of prompt blocks that this worker has served recently, so that every gateway learns from heartbeats which
 * prompts its cache holds. A heartbeat has the new hashes, and repeats a part of the known ones, for gateways that have
 * just started or missed a heartbeat.
 */
export class ServedBlocks {
  /** In the order in which they were new. */
  readonly #known = new Set<number>();
  #unsent: number[] = [];
  #repeated: Iterator<number, undefined> | undefined;

  /** `encoded` is the field of a job's header. */
  note(encoded: string | undefined): void {
    if (encoded === undefined) return;
    for (const hash of decodeBlockHashes(encoded)) {
      if (this.#known.has(hash)) continue;
      this.#known.add(hash);
      this.#unsent.push(hash);
    }
    // If hashes are dropped here, gateways choose a worker for these prompts by load alone.
    if (this.#unsent.length > MAX_KNOWN) this.#unsent = this.#unsent.slice(-MAX_KNOWN);
    if (this.#known.size > MAX_KNOWN) this.#dropOldest();
  }

  /** The cache has lost these blocks. If they are served again, they are new. */
  forget(hashes: readonly number[]): void {
    if (hashes.length === 0) return;
    const lost = new Set(hashes);
    for (const hash of lost) this.#known.delete(hash);
    this.#unsent = this.#unsent.filter((hash) => !lost.has(hash));
  }

  /** The runtime has restarted with an empty cache. */
  clear(): void {
    this.#known.clear();
    this.#unsent = [];
    this.#repeated = undefined;
  }

  /** The field of the next heartbeat. */
  next(): string | undefined {
    if (this.#known.size === 0) return undefined;
    const hashes = this.#unsent.splice(0, MAX_NEW_IN_HEARTBEAT);
    const repeated = Math.min(REPEATED_IN_HEARTBEAT, this.#known.size);
    for (let count = 0; count < repeated; count += 1) hashes.push(this.#nextRepeated());
    return encodeBlockHashes(hashes);
  }

  /** Several at once, because finding the first entry of a set takes longer after each removal. */
  #dropOldest(): void {
    const kept = MAX_KNOWN - DROPPED_AT_ONCE;
    for (const hash of this.#known) {
      this.#known.delete(hash);
      if (this.#known.size <= kept) return;
    }
  }

  /** The next known hash to repeat. After the last one it begins again with the first. */
  #nextRepeated(): number {
    for (;;) {
      this.#repeated ??= this.#known.keys();
      const next: IteratorResult<number, undefined> = this.#repeated.next();
      if (next.done !== true) return next.value;
      this.#repeated = undefined;
    }
  }
}
