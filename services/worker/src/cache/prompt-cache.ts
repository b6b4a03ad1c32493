import {
  ServedBlocks,
  decodeBlockHashes,
  encodeBlockHashes,
  type Heartbeat,
  type JobHeader,
} from '@sluice/contracts';
import type { CacheMessage } from './read-kv-events.ts';
import { RecentPrompts } from './recent-prompts.ts';
import { StoredBlocks } from './stored-blocks.ts';

type CacheFields = Pick<Heartbeat, 'prefix_blocks' | 'cold_blocks' | 'cache_epoch'>;
type PromptHeader = Pick<JobHeader, 'prefix_blocks' | 'estimated_input_tokens'>;

/** Maximum number of cold blocks in one heartbeat. The next heartbeats have the rest. */
const MAX_COLD_IN_HEARTBEAT = 256;
const NONE = new Int32Array(0);

/**
 * What gateways are told about the prefix cache of the runtime: the prompt blocks that this worker has served and, if
 * the runtime reports its cache, those that were evicted.
 */
export class PromptCache {
  readonly #served = new ServedBlocks();
  readonly #recent = new RecentPrompts();
  readonly #stored = new StoredBlocks();
  readonly #reports: boolean;
  /** Hashes of evicted blocks that no heartbeat has reported yet. */
  #cold: number[] = [];
  /** How often the runtime has cleared its whole cache. */
  #epoch = 0;
  /** The number of the last message of events. */
  #sequence: number | undefined;

  /** `reports`: whether the runtime reports changes of its cache. */
  constructor({ reports }: { readonly reports: boolean }) {
    this.#reports = reports;
  }

  /** What the worker knows of the cache, for `/readyz`. Undefined if the runtime does not report changes. */
  get state(): Readonly<Record<'heldTokens' | 'knownBlocks', number>> | undefined {
    if (!this.#reports) return undefined;
    return { heldTokens: this.#stored.heldTokens, knownBlocks: this.#recent.size };
  }

  /** A job was accepted, so its prompt will be in the cache soon. */
  accepted({ prefix_blocks }: PromptHeader): void {
    this.#served.note(prefix_blocks);
  }

  /** The runtime reads the prompt of a job. */
  started(header: PromptHeader): void {
    this.#use(header, { prompt: header.estimated_input_tokens, answer: 0 });
  }

  /** A job has ended: its tokens are known now, and its blocks may be evicted from now on. */
  ended(header: PromptHeader, tokens: { readonly prompt: number; readonly answer: number }): void {
    this.#use(header, tokens);
  }

  /** The runtime has ended, and its cache with it. Gateways see that in the empty list of models. */
  runtimeEnded(): void {
    this.#served.clear();
    this.#forgetEvents();
  }

  /** Changes that the runtime reported. */
  apply({ sequence, events }: CacheMessage): void {
    if (this.#sequence !== undefined && sequence !== this.#sequence + 1) this.eventsLost();
    this.#sequence = sequence;
    for (const event of events) {
      if (event.kind === 'cleared') this.#cleared();
      else this.#stored.apply(event);
    }
  }

  /** Events were lost. What the cache held until now is no longer known, so nothing of it is reported as cold. */
  eventsLost(): void {
    this.#forgetEvents();
  }

  /** The fields of the next heartbeat. */
  nextFields(): CacheFields {
    const cold_blocks = this.#nextCold();
    const prefix_blocks = this.#served.next();
    return {
      ...(prefix_blocks !== undefined && { prefix_blocks }),
      ...(cold_blocks !== undefined && { cold_blocks }),
      ...(this.#epoch > 0 && { cache_epoch: this.#epoch }),
    };
  }

  #use(
    { prefix_blocks: encoded }: PromptHeader,
    tokens: { readonly prompt: number; readonly answer: number },
  ): void {
    if (!this.#reports) return;
    this.#recent.use(encoded === undefined ? NONE : decodeBlockHashes(encoded), tokens);
  }

  #nextCold(): string | undefined {
    const { heldTokens: held } = this.#stored;
    const evicted = this.#recent.evict({ held, removed: this.#stored.takeRemovedTokens() });
    this.#served.forget(evicted);
    // A block that was used again in the meantime is not cold.
    this.#cold = [...this.#cold, ...evicted].filter((hash) => !this.#recent.has(hash));
    const reported = this.#cold.splice(0, MAX_COLD_IN_HEARTBEAT);
    return reported.length > 0 ? encodeBlockHashes(reported) : undefined;
  }

  #cleared(): void {
    this.#epoch += 1;
    this.#served.clear();
    this.#forgetContents();
  }

  #forgetEvents(): void {
    this.#sequence = undefined;
    this.#forgetContents();
  }

  #forgetContents(): void {
    this.#stored.clear();
    this.#recent.clear();
    this.#cold = [];
  }
}
