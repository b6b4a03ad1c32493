import { sumPassedDays } from './add-sums.ts';
import { lockForWriting, type Database } from './database.ts';
import { isUniqueViolation, withoutKnown } from './known-records.ts';
import { DAY_MS, dayOf, Partitions } from './partitions.ts';
import { movePosition, readPositions, type Position } from './positions.ts';
import type { AttemptRow, RequestRow } from './rows.ts';
import { writeRecords } from './write-records.ts';

export interface WrittenBatch {
  readonly stream: string;
  readonly requests: readonly RequestRow[];
  readonly attempts: readonly AttemptRow[];
  /** The sequence of the position that the batch follows; undefined if the stream had none. */
  readonly from: number | undefined;
  readonly to: Position;
}

/** How long rows and sums are kept. */
export interface Retention {
  readonly requestDays: number;
  readonly sumDays: number;
}

/** Records from further in the future are skipped, because the clock of their gateway or worker must be wrong. */
const FUTURE_DAYS = 2;

/** The tables that hold every request, every attempt and their sums. */
export class UsageStore {
  /** For queries, budgets and webhooks. */
  readonly database: Database;
  readonly #retention: Retention;
  readonly #wallClock: () => number;
  readonly #partitions: Partitions;

  constructor(database: Database, retention: Retention, wallClock: () => number) {
    this.database = database;
    this.#retention = retention;
    this.#wallClock = wallClock;
    this.#partitions = new Partitions(database);
  }

  /** How many records are best written at once. */
  get recordsInBatch(): number {
    return this.database.recordsInBatch;
  }

  positions(stream: string): Promise<Position[]> {
    return readPositions(this.database, stream);
  }

  /**
   * The time for which records are written. Rows that are older have been removed. If an older record was read a second
   * time, no row would show that it was counted before.
   */
  keptTimes(): { fromMs: number; untilMs: number } {
    const today = dayOf(this.#wallClock());
    return {
      fromMs: today - this.#retention.requestDays * DAY_MS,
      untilMs: today + FUTURE_DAYS * DAY_MS,
    };
  }

  /** Creates the partitions of these days, each given by its first moment. */
  createDays(days: Iterable<number>): Promise<void> {
    return this.#partitions.create(new Set(days));
  }

  /** Writes the rows and the position in one transaction. Rows that the tables already hold are left out. */
  async write(batch: WrittenBatch): Promise<void> {
    const days = new Set<number>();
    for (const { received_ms } of batch.requests) days.add(dayOf(received_ms));
    for (const { accepted_ms } of batch.attempts) days.add(dayOf(accepted_ms));
    await this.createDays(days);
    try {
      // Nearly every batch is new as a whole, so the tables are asked what they hold only if they refuse a row.
      await this.#writeOnce(batch, { isNew: true });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      await this.#writeOnce(batch, { isNew: false });
    }
  }

  async #writeOnce(batch: WrittenBatch, { isNew }: { isNew: boolean }): Promise<void> {
    const { stream, from, to } = batch;
    await this.database.transaction(async (transaction) => {
      await lockForWriting(transaction);
      // A commit does not wait for the disk. If the database crashes, the last transactions may be lost, but each of
      // them as a whole, with its position. Their records are then read again.
      // https://www.postgresql.org/docs/current/wal-async-commit.html
      await transaction.query('SET LOCAL synchronous_commit = off');
      await writeRecords(transaction, isNew ? batch : await withoutKnown(transaction, batch));
      await movePosition(transaction, { stream, from, to });
    });
  }

  /**
   * Adds up the days that have passed, and removes rows that are older than the retention. Returns the names of the
   * dropped partitions.
   */
  async removeOld(): Promise<string[]> {
    const { fromMs } = this.keptTimes();
    const today = dayOf(this.#wallClock());
    const sumsFromMs = today - this.#retention.sumDays * DAY_MS;
    const dropped = await this.#partitions.dropBefore(fromMs);
    await this.database.transaction(async (transaction) => {
      await lockForWriting(transaction);
      await sumPassedDays(transaction, today);
      await transaction.query('DELETE FROM usage_hourly WHERE begins_ms < $1', [fromMs]);
      await transaction.query('DELETE FROM usage_daily WHERE begins_ms < $1', [sumsFromMs]);
    });
    return dropped;
  }
}
