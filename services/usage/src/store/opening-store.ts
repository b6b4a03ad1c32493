import { setTimeout as delay } from 'node:timers/promises';
import { LogDeduplicator, withTimeout, type Logger } from '@sluice/service';
import type { Database } from './database.ts';
import { migrate } from './migrate.ts';
import { UsageStore, type Retention } from './usage-store.ts';

export interface OpeningStoreOptions {
  readonly open: () => Promise<Database>;
  readonly retention: Retention;
  readonly logger: Logger;
  readonly wallClock: () => number;
}

const RETRY_MS = 1_000;
/** How long the shutdown waits for a database that is being opened. */
const UNFINISHED_MS = 500;
const REMOVE_OLD_EVERY_MS = 3_600_000;

/** Opens the database in the background, because that may take seconds or may not be possible yet. */
export class OpeningStore implements AsyncDisposable {
  /** Resolves when the tables can be used. Never rejects. */
  readonly store: Promise<UsageStore>;
  readonly #options: OpeningStoreOptions;
  readonly #stop = new AbortController();
  readonly #logged = new LogDeduplicator();
  readonly #opening: Promise<void>;
  #database: Database | undefined;
  #opened: UsageStore | undefined;
  #removal: NodeJS.Timeout | undefined;
  #removing: Promise<void> | undefined;

  constructor(options: OpeningStoreOptions) {
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<UsageStore>();
    this.store = promise;
    this.#opening = this.#openUntilDone(resolve);
  }

  /** Undefined until the tables can be used. */
  get opened(): UsageStore | undefined {
    return this.#opened;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#removal);
    // Creating a new embedded database takes seconds, and does not have to be finished: `openPglite` starts over.
    await withTimeout(UNFINISHED_MS, this.#opening);
    await this.#removing;
    await this.#database?.[Symbol.asyncDispose]();
  }

  async #openUntilDone(onOpened: (store: UsageStore) => void): Promise<void> {
    const { logger, retention, wallClock } = this.#options;
    const { signal } = this.#stop;
    const since = performance.now();
    while (!signal.aborted) {
      try {
        const database = (this.#database ??= await this.#options.open());
        const version = await migrate(database);
        const store = new UsageStore(database, retention, wallClock);
        this.#opened = store;
        logger.info(
          { version, openMs: Math.round(performance.now() - since) },
          'the tables can be used',
        );
        this.#removeOld(store);
        onOpened(store);
        return;
      } catch (error) {
        const reason = error instanceof Error ? error.message : 'unknown';
        if (this.#logged.shouldLog(reason)) {
          logger.warn({ reason }, 'the database cannot be opened; still trying');
        }
      }
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Removes old rows now, and again every hour. */
  #removeOld(store: UsageStore): void {
    const { logger } = this.#options;
    const remove = async () => {
      try {
        const dropped = await store.removeOld();
        if (dropped.length > 0) logger.info({ dropped }, 'old partitions were dropped');
      } catch (error) {
        const reason = error instanceof Error ? error.message : 'unknown';
        logger.warn({ reason }, 'old rows could not be removed');
      }
    };
    this.#removing = remove();
    this.#removal = setTimeout(() => this.#removeOld(store), REMOVE_OLD_EVERY_MS).unref();
  }
}
