import { setTimeout as delay } from 'node:timers/promises';
import type { Bus, LedgerPosition, LedgerUnread } from '@sluice/bus';
import { count, initCounters, LogDeduplicator, type Logger } from '@sluice/service';
import type { UsageStore } from '../store/usage-store.ts';
import { collectBatches, type LedgerBatch } from './ledger-batch.ts';
import type { PriceList } from './price-list.ts';
import { readRecords, type ReadRecords } from './read-records.ts';

export interface LedgerReaderOptions {
  readonly bus: Pick<Bus, 'followLedger' | 'ledgerUnread'>;
  readonly kind: 'outcomes' | 'refusals';
  readonly stream: string;
  /** Resolves when the tables can be used. */
  readonly store: Promise<UsageStore>;
  /** Where prices come from. Nothing is written before they are known. */
  readonly pricing: { readonly known: Promise<void>; readonly prices: PriceList };
  readonly logger: Logger;
  readonly wallClock: () => number;
}

/** How long records are collected for one transaction. A transaction costs as much as writing several records. */
const COLLECT_MS = 100;
const RETRY_MS = 500;
const UNREAD_CHECK_MS = 1_000;
const SKIPPED_REASONS = ['unreadable', 'outside'] as const;

/**
 * Copies the records of one stream of the ledger into the tables, in order. After a failure, reading begins again at
 * the position in the tables.
 */
export class LedgerReader implements AsyncDisposable {
  readonly #options: LedgerReaderOptions;
  readonly #stop = new AbortController();
  readonly #logged = new LogDeduplicator();
  readonly #ended: Promise<unknown>;
  /**
   * The positions that the tables hold, one for each time that the stream was created. The sequences of a new stream
   * begin at 1 again.
   */
  #positions: readonly LedgerPosition[] = [];
  #unread: LedgerUnread | undefined;
  #written = 0;

  constructor(options: LedgerReaderOptions) {
    this.#options = options;
    const { kind } = options;
    initCounters(
      'sluice.usage.skipped',
      SKIPPED_REASONS.map((reason) => ({ kind, reason })),
    );
    initCounters('sluice.usage.missed', [{ kind }]);
    this.#ended = Promise.all([this.#read(), this.#watchUnread()]);
  }

  /** Records written since the start. */
  get written(): number {
    return this.#written;
  }

  /** The messages that are not in the tables, checked every second. Undefined if the stream cannot be asked. */
  get unread(): LedgerUnread | undefined {
    return this.#unread;
  }

  /** The age of the oldest unread message, and 0 if there is none. Undefined if the stream cannot be asked. */
  get lagSeconds(): number | undefined {
    if (this.#unread === undefined) return undefined;
    const now = this.#options.wallClock();
    return Math.max(0, now - (this.#unread.oldestAtMs ?? now)) / 1_000;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  async #read(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#readOnce();
      } catch (error) {
        this.#report(error);
      }
      await pause(RETRY_MS, signal);
    }
  }

  async #readOnce(): Promise<void> {
    const { bus, store: opening, stream, pricing } = this.#options;
    const store = await unlessAborted(opening, this.#stop.signal);
    await unlessAborted(pricing.known, this.#stop.signal);
    this.#positions = await store.positions(stream);
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, this.#stop.signal]);
    const messages = bus.followLedger({ stream, after: this.#positions, signal });
    let writing: Promise<void> | undefined;
    try {
      const limits = { collectMs: COLLECT_MS, limit: store.recordsInBatch };
      for await (const batch of collectBatches(messages, limits)) {
        // While the database writes a batch, the next one is collected and checked.
        const read = readRecords(batch.records, store.keptTimes(), pricing.prices);
        await writing;
        writing = this.#write(store, batch, read);
        // Handled when the next batch waits for it.
        writing.catch(() => undefined);
      }
      await writing;
    } finally {
      stop.abort();
      await messages.return();
      await writing?.catch(() => undefined);
    }
  }

  async #write(store: UsageStore, batch: LedgerBatch, read: ReadRecords): Promise<void> {
    const { kind, stream, logger } = this.#options;
    const { requests, attempts, unreadable, outside } = read;
    const inThisStream = ({ streamCreated }: LedgerPosition) =>
      streamCreated === batch.position.streamCreated;
    const from = this.#positions.find(inThisStream)?.sequence;
    await store.write({ stream, requests, attempts, from, to: batch.position });
    this.#positions = [
      ...this.#positions.filter((position) => !inThisStream(position)),
      batch.position,
    ];
    this.#written += requests.length + attempts.length;
    if (this.#logged.reset()) logger.info({ stream }, 'the ledger is read again');
    if (unreadable + outside > 0) {
      count('sluice.usage.skipped', { kind, reason: 'unreadable' }, unreadable);
      count('sluice.usage.skipped', { kind, reason: 'outside' }, outside);
      logger.warn({ stream, unreadable, outside }, 'records of the ledger were skipped');
    }
    if (batch.missed > 0) {
      count('sluice.usage.missed', { kind }, batch.missed);
      logger.error(
        { stream, messages: batch.missed },
        'the stream removed messages before they were read',
      );
    }
  }

  async #watchUnread(): Promise<void> {
    const { bus, stream } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      this.#unread = await bus.ledgerUnread(stream, this.#positions).catch(() => undefined);
      await pause(UNREAD_CHECK_MS, signal);
    }
  }

  #report(error: unknown): void {
    if (this.#stop.signal.aborted) return;
    const { stream, logger } = this.#options;
    const reason = error instanceof Error ? error.message : 'unknown';
    if (this.#logged.shouldLog(reason)) {
      logger.warn({ stream, reason }, 'the ledger cannot be read into the tables at present');
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

/** Rejects when the signal aborts first. */
async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(new Error('stopping'));
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
