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
import { ConfigurationError } from '@sluice/host';
import { CatalogError } from '../domain/catalog-error.ts';
import type {
  ResourceStore,
  StoreEntry,
  StoreObserver,
  WriteOutcome,
} from '../domain/resource-store.ts';

export interface KvResourceStoreOptions {
  readonly bucket: string;
  readonly replicas: number;
  readonly history: number;
  readonly skipDamaged: boolean;
}

/** Room for the headers of a write, which count as payload. */
const HEADER_BYTES = 1_024;

/** The catalog's entries in a JetStream key-value bucket. */
export class KvResourceStore implements ResourceStore, AsyncDisposable {
  readonly #bus: Bus;
  readonly #store: KeyValueStore;
  readonly #watch: KeyValueWatch;

  private constructor(bus: Bus, store: KeyValueStore, watch: KeyValueWatch) {
    this.#bus = bus;
    this.#store = store;
    this.#watch = watch;
  }

  /** Resolves once the observer was told everything that the bucket holds. */
  static async open(
    bus: Bus,
    options: KvResourceStoreOptions,
    observer: StoreObserver,
  ): Promise<KvResourceStore> {
    const store = await bus.openKeyValue({
      ...options,
      description: 'Sluice: accounts, organizations, projects, keys, plans and models',
    });
    const watched = store.epoch;
    observer.reset(watched);
    const watch = await store
      .watch({
        onReset: (epoch) => observer.reset(epoch),
        onEntry: ({ key, value, sequence }) => observer.apply({ name: key, value, sequence }),
        onCaughtUp: (sequence) => observer.caughtUp(sequence),
      })
      .catch((error: unknown) => {
        if (!(error instanceof KeyValueDamagedError)) throw error;
        // Nothing gets better by waiting: an operator has to decide.
        throw new ConfigurationError(
          `${error.message}. Restore the bucket from a backup; or start with CATALOG_SKIP_DAMAGED=true, ` +
            'which serves the rest, and write what is missing again',
          { cause: error },
        );
      });
    if (store.epoch !== watched) {
      await watch[Symbol.asyncDispose]();
      throw new Error('the bucket was made anew while it was being opened');
    }
    return new KvResourceStore(bus, store, watch);
  }

  /** The names of entries that were left out because NATS cannot read them. */
  get skipped(): readonly string[] {
    return this.#watch.skipped;
  }

  /** Whether changes are being heard as they happen. */
  get live(): boolean {
    return this.#watch.live;
  }

  async write(
    name: string,
    value: Uint8Array,
    expectedLastSequence: number,
  ): Promise<WriteOutcome> {
    const limit = this.#bus.maxPayload - HEADER_BYTES;
    if (value.length > limit) return { outcome: 'too large', limit };
    try {
      const sequence = await this.#store.put(name, value, { expectedLastSequence });
      return { outcome: 'stored', sequence };
    } catch (error) {
      if (error instanceof KeyValueConflictError) return { outcome: 'outrun' };
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
