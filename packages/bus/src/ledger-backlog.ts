import { gatherBatches, type LedgerBatch, type WaitingRecord } from './ledger-batches.ts';
import type { LedgerAppend, LedgerCounts } from './ledger.ts';

/** What is not acknowledged within this time counts as not stored. */
const ACKNOWLEDGE_MS = 5_000;
/** A record that could not be stored for so long is given up. */
const GIVE_UP_MS = 600_000;

interface BacklogLimits {
  /** Records that are not stored yet; what comes beyond is lost. */
  readonly records: number;
  /** Batches that are on their way at once. */
  readonly sent: number;
}

interface SentBatch {
  readonly batch: LedgerBatch;
  readonly sentAt: number;
}

/**
 * Knows what a ledger has not stored yet, and counts what became of the rest. Records wait in `#waiting` until
 * they are put together, and their batches in `#unsent` until they are sent, then in `#sent` until they are
 * acknowledged; whatever goes wrong puts them back. Times are those of one monotonic clock, in milliseconds.
 */
export class LedgerBacklog {
  readonly #limits: BacklogLimits;
  #waiting: WaitingRecord[] = [];
  #unsent: LedgerBatch[] = [];
  /** By token, in the order of their sending. */
  readonly #sent = new Map<string, SentBatch>();
  /** Records in all three of them. */
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

  /** Whether there was room; otherwise the record is lost. */
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

  /** The batches that may be sent now. Whoever takes one says that it was sent, puts it back or loses it. */
  take(longestCharacters: number): LedgerBatch[] {
    // What cannot leave yet is put together later, with what comes until then.
    if (this.#unsent.length === 0) {
      this.#unsent = gatherBatches(this.#waiting, longestCharacters);
      this.#waiting = [];
    }
    return this.#unsent.splice(0, this.#limits.sent - this.#sent.size);
  }

  /** Its acknowledgement will name this token, which no other batch has had. */
  markSent(token: string, batch: LedgerBatch, now: number): void {
    this.#sent.set(token, { batch, sentAt: now });
  }

  /** They are the next to be taken. */
  putBack(batches: readonly LedgerBatch[]): void {
    if (batches.length > 0) this.#unsent = [...batches, ...this.#unsent];
  }

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

  /** They were not stored, or nobody will tell. */
  takeBack(tokens: readonly string[]): void {
    const back: LedgerBatch[] = [];
    for (const token of tokens) {
      const sent = this.#sent.get(token);
      if (sent !== undefined) back.push(sent.batch);
      this.#sent.delete(token);
    }
    this.putBack(back);
  }

  takeBackAll(): void {
    this.takeBack([...this.#sent.keys()]);
  }

  /** Gives up what is too old; whether an acknowledgement is late, whose batch is then taken back. */
  sweep(now: number): boolean {
    const late = this.#tokensSentUntil(now - ACKNOWLEDGE_MS);
    this.takeBack(late);
    this.#giveUpAppendedUntil(now - GIVE_UP_MS);
    return late.length > 0;
  }

  /** What is left is lost, and so is whatever comes later. */
  close(): void {
    this.#closed = true;
    this.#waiting = [];
    this.#unsent = [];
    this.#sent.clear();
    this.#countLost(this.#pending);
  }

  #tokensSentUntil(moment: number): string[] {
    const tokens: string[] = [];
    for (const [token, { sentAt }] of this.#sent) {
      if (sentAt > moment) break;
      tokens.push(token);
    }
    return tokens;
  }

  #giveUpAppendedUntil(moment: number): void {
    const isHopeful = ({ appendedAt }: { readonly appendedAt: number }) => appendedAt > moment;
    for (const batch of this.#unsent) if (!isHopeful(batch)) this.lose(batch);
    this.#unsent = this.#unsent.filter(isHopeful);
    const waiting = this.#waiting.filter(isHopeful);
    this.#countLost(this.#waiting.length - waiting.length);
    this.#waiting = waiting;
  }

  #countLost(records: number): void {
    this.#pending -= records;
    this.#lost += records;
  }
}
