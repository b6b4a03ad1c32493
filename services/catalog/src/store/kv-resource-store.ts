import {
  BusDisconnectedError,
  BusNoRespondersError,
  BusTimeoutError,
  KeyValueConflictError,
  KeyValueDamagedError,
  KeyValueRefusedError,
  type Bus,
  type KeyValueStore,
  type KeyValueWatch,
} from '@sluice/bus';
import type { Revision } from '@sluice/contracts';
import { ConfigurationError } from '@sluice/service';
import { CatalogError } from '../model/catalog-error.ts';
import type {
  ResourceStore,
  StoreEntry,
  StoreObserver,
  WriteOutcome,
} from '../model/resource-store.ts';

export interface KvResourceStoreOptions {
  readonly bucket: string;
  readonly replicas: number;
  readonly history: number;
  readonly skipDamaged: boolean;
}

/** Room for the headers of a write: NATS counts them towards the maximum payload. */
const HEADER_BYTES = 1_024;

/** Stores the entries in a JetStream key-value bucket. */
export class KvResourceStore implements ResourceStore, AsyncDisposable {
  readonly #bus: Bus;
  readonly #store: KeyValueStore;
  readonly #watch: KeyValueWatch;

  private constructor(bus: Bus, store: KeyValueStore, watch: KeyValueWatch) {
    this.#bus = bus;
    this.#store = store;
    this.#watch = watch;
  }

  /** Resolves when all current entries of the bucket have been delivered to the observer. */
  static async open(
    bus: Bus,
    options: KvResourceStoreOptions,
    observer: StoreObserver,
  ): Promise<KvResourceStore> {
    const store = await bus.openKeyValue({
      ...options,
      description: 'Sluice: accounts, organizations, projects, keys, plans and models',
    });
    const openedEpoch = store.epoch;
    observer.reset(openedEpoch);
    const watch = await store
      .watch({
        onReset: (epoch) => observer.reset(epoch),
        onEntry: ({ key, value, sequence }) => observer.apply({ name: key, value, sequence }),
        onCaughtUp: (sequence) => observer.caughtUp(sequence),
      })
      .catch((error: unknown) => {
        if (!(error instanceof KeyValueDamagedError)) throw error;
        // A retry would not help, because an operator has to decide what to do.
        throw new ConfigurationError(
          `${error.message}. Restore the bucket from a backup; or start with CATALOG_SKIP_DAMAGED=true, ` +
            'which serves the rest, and write what is missing again',
          { cause: error },
        );
      });
    if (store.epoch !== openedEpoch) {
      await watch[Symbol.asyncDispose]();
      throw new Error('the bucket was recreated while it was being opened');
    }
    return new KvResourceStore(bus, store, watch);
  }

  /** The names of entries that were skipped because NATS cannot read them. */
  get skipped(): readonly string[] {
    return this.#watch.skipped;
  }

  /** Whether changes currently arrive as they happen. */
  get live(): boolean {
    return this.#watch.live;
  }

  async write(
    name: string,
    value: Uint8Array,
    expectedLastSequence: number,
    { replacesHistory } = { replacesHistory: false },
  ): Promise<WriteOutcome> {
    const limit = this.#bus.maxPayload - HEADER_BYTES;
    if (value.length > limit) return { outcome: 'too large', limit };
    try {
      const sequence = await this.#store.put(name, value, {
        expectedLastSequence,
        replacesHistory,
      });
      return { outcome: 'stored', sequence };
    } catch (error) {
      if (error instanceof KeyValueConflictError) return { outcome: 'conflict' };
      if (error instanceof KeyValueRefusedError) {
        return { outcome: 'refused', reason: error.message };
      }
      if (error instanceof BusDisconnectedError || error instanceof BusNoRespondersError) {
        return { outcome: 'unreachable' };
      }
      if (error instanceof BusTimeoutError) return { outcome: 'unknown' };
      throw error;
    }
  }

  end(): Promise<Revision> {
    return this.#store.end();
  }

  async history(from: number, to: number): Promise<readonly StoreEntry[]> {
    const changes = await this.#store.changes({ from, to }).catch((cause: unknown) => {
      throw new CatalogError('unavailable', "the store's history cannot be read", { cause });
    });
    return changes.map(({ key, value, sequence }) => ({ name: key, value, sequence }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watch[Symbol.asyncDispose]();
  }
}
