import { gatherBatches, type LedgerBatch, type WaitingRecord } from './ledger-batches.ts';
import type { LedgerAppend, LedgerCounts } from './ledger.ts';

/** A batch that is not acknowledged within this time counts as not stored. */
const ACKNOWLEDGE_MS = 5_000;
/** A record that could not be stored within this time is given up. */
const GIVE_UP_MS = 600_000;

interface BacklogLimits {
  /** Limit of records that are not stored yet. Further records are lost. */
  readonly records: number;
  /** Limit of batches sent and not yet acknowledged. */
  readonly sent: number;
}

interface SentBatch {
  readonly batch: LedgerBatch;
  readonly sentAt: number;
}

/**
 * Holds the records that a ledger has not stored yet, and counts the stored and lost ones. Records wait in `#waiting`
 * until they are combined into batches. A batch is in `#unsent` until it is sent, then in `#sent` until it is
 * acknowledged. A failed batch returns to `#unsent`. Times are from one monotonic clock, in milliseconds.
 */
export class LedgerBacklog {
  readonly #limits: BacklogLimits;
  #waiting: WaitingRecord[] = [];
  #unsent: LedgerBatch[] = [];
  /** Sent batches by token, in the order of sending. */
  readonly #sent = new Map<string, SentBatch>();
  /** Records in `#waiting`, `#unsent` and `#sent` together. */
  #pending = 0;
  #stored = 0;
  #lost = 0;
  #closed = false;

  constructor(limits: BacklogLimits) {
    this.#limits = limits;
  }

  get counts(): LedgerCounts {
    return { pending: this.#pending, stored: this.#stored, lost: this.#lost };
  }

  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  get hasUnsent(): boolean {
    return this.#unsent.length > 0;
  }

  /** Adds a record. Returns false if there is no room; the record is then lost. */
  append({ id, subject, record }: LedgerAppend, now: number): boolean {
    if (this.#closed || this.#pending >= this.#limits.records) {
      this.#lost += 1;
      return false;
    }
    const line = JSON.stringify(record);
    this.#pending += 1;
    this.#waiting.push({ id, subject, line, appendedAt: now });
    return true;
  }

  /** The batches that may be sent now. The caller must pass each one to `markSent`, `putBack` or `lose`. */
  take(maxCharacters: number): LedgerBatch[] {
    // Waiting records are combined only when no batch is left to send. The later that is, the more records share a batch.
    if (this.#unsent.length === 0) {
      this.#unsent = gatherBatches(this.#waiting, maxCharacters);
      this.#waiting = [];
    }
    return this.#unsent.splice(0, this.#limits.sent - this.#sent.size);
  }

  /** Marks a batch as sent. Its acknowledgement is identified by the token, which must be new. */
  markSent(token: string, batch: LedgerBatch, now: number): void {
    this.#sent.set(token, { batch, sentAt: now });
  }

  /** Accepts batches that were taken and could not be sent. The next `take` returns them first. */
  putBack(batches: readonly LedgerBatch[]): void {
    if (batches.length > 0) this.#unsent = [...batches, ...this.#unsent];
  }

  /** Gives up a batch that was taken, and counts its records as lost. */
  lose({ recordCount }: LedgerBatch): void {
    this.#countLost(recordCount);
  }

  isSent(token: string): boolean {
    return this.#sent.has(token);
  }

  acknowledge(token: string): void {
    const sent = this.#sent.get(token);
    if (sent === undefined) return;
    this.#sent.delete(token);
    this.#pending -= sent.batch.recordCount;
    this.#stored += sent.batch.recordCount;
  }

  /** Makes sent batches unsent again, because they were refused or their acknowledgement is missing. */
  markUnsent(tokens: readonly string[]): void {
    const back: LedgerBatch[] = [];
    for (const token of tokens) {
      const sent = this.#sent.get(token);
      if (sent !== undefined) back.push(sent.batch);
      this.#sent.delete(token);
    }
    this.putBack(back);
  }

  markAllUnsent(): void {
    this.markUnsent([...this.#sent.keys()]);
  }

  /**
   * Marks batches as unsent if their acknowledgement is late, and gives up records that are too old. Returns whether any
   * batch was late.
   */
  sweep(now: number): boolean {
    const late = this.#tokensSentUntil(now - ACKNOWLEDGE_MS);
    this.markUnsent(late);
    this.#giveUpAppendedUntil(now - GIVE_UP_MS);
    return late.length > 0;
  }

  /** Counts the remaining records as lost. Every record that is appended later is lost, too. */
  close(): void {
    this.#closed = true;
    this.#waiting = [];
    this.#unsent = [];
    this.#sent.clear();
    this.#countLost(this.#pending);
  }

  #tokensSentUntil(timeMs: number): string[] {
    const tokens: string[] = [];
    for (const [token, { sentAt }] of this.#sent) {
      if (sentAt > timeMs) break;
      tokens.push(token);
    }
    return tokens;
  }

  #giveUpAppendedUntil(timeMs: number): void {
    const isNewer = ({ appendedAt }: { readonly appendedAt: number }) => appendedAt > timeMs;
    for (const batch of this.#unsent) if (!isNewer(batch)) this.lose(batch);
    this.#unsent = this.#unsent.filter(isNewer);
    const waiting = this.#waiting.filter(isNewer);
    this.#countLost(this.#waiting.length - waiting.length);
    this.#waiting = waiting;
  }

  #countLost(records: number): void {
    this.#pending -= records;
    this.#lost += records;
  }
}
