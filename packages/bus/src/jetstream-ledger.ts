import { createInbox } from '@nats-io/transport-node';
import { BusDisconnectedError, BusPayloadTooLargeError } from './bus-errors.ts';
import type { BusMessage } from './bus-message.ts';
import type { BusSubscription } from './bus.ts';
import type { JetStreamSurroundings } from './jetstream-surroundings.ts';
import { gatherBatches, type LedgerBatch, type WaitingRecord } from './ledger-batches.ts';
import { ensureLedgerStream } from './ledger-stream.ts';
import type { Ledger, LedgerAppend, LedgerCounts, LedgerOptions } from './ledger.ts';

const MESSAGE_ID_HEADER = 'Nats-Msg-Id';
const BUFFER_LIMIT = 20_000;
/** More batches than this are not on their way at once: a slow server is not to be buried under them. */
const SENT_LIMIT = 1_024;
/** Nobody waits for a record, and together they are much cheaper to send, to store and to acknowledge. */
const COLLECT_MS = 100;
const BATCH_CHARACTERS = 65_536;
/** A character takes up to three bytes, and the message's id has to fit too. */
const BYTES_PER_CHARACTER = 4;
const ACKNOWLEDGE_MS = 5_000;
const SWEEP_INTERVAL_MS = 1_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
/** A record that could not be stored for so long is given up. */
const GIVE_UP_MS = 600_000;
const LAST_RECORDS_MS = 2_000;

interface SentBatch {
  readonly batch: LedgerBatch;
  readonly sentAt: number;
}

/**
 * Records wait in `#waiting` until they are put together, and their batches in `#unsent` until they are sent,
 * then in `#sent` until they are acknowledged; whatever goes wrong puts them back. Sending again is safe: the
 * stream knows the batches of the last two minutes, and readers tell later doubles by their records' ids.
 */
export class JetStreamLedger implements Ledger {
  readonly #surroundings: JetStreamSurroundings;
  readonly #options: LedgerOptions;
  readonly #inbox: string;
  readonly #subscription: BusSubscription;
  readonly #stopListening: readonly (() => void)[];
  readonly #sweeping: NodeJS.Timeout;
  readonly #settledWaiters = new Set<() => void>();
  #waiting: WaitingRecord[] = [];
  #unsent: LedgerBatch[] = [];
  readonly #sent = new Map<string, SentBatch>();
  /** Records in all three of them. */
  #pending = 0;
  #nextToken = 0;
  #stored = 0;
  #lost = 0;
  #lostReported = 0;
  #scheduled = false;
  #streamThere = false;
  /** Whether records are sent at this moment. */
  #open = false;
  #opening = false;
  #stumbles = 0;
  #pause: NodeJS.Timeout | undefined;
  #disposed = false;

  constructor(surroundings: JetStreamSurroundings, options: LedgerOptions) {
    this.#surroundings = surroundings;
    this.#options = options;
    const { bus } = surroundings;
    this.#inbox = createInbox();
    this.#subscription = bus.subscribe(`${this.#inbox}.*`, (message) => this.#acknowledge(message));
    this.#stopListening = [
      bus.onDisconnect(() => {
        this.#open = false;
        this.#takeBack([...this.#sent.keys()]);
      }),
      bus.onReconnect(() => void this.#start()),
    ];
    this.#sweeping = setInterval(() => this.#sweep(), SWEEP_INTERVAL_MS).unref();
    void this.#start();
  }

  get counts(): LedgerCounts {
    return { pending: this.#pending, stored: this.#stored, lost: this.#lost };
  }

  append({ id, subject, record }: LedgerAppend): void {
    if (this.#disposed || this.#pending >= (this.#options.bufferLimit ?? BUFFER_LIMIT)) {
      this.#lost += 1;
      return;
    }
    const line = JSON.stringify(record);
    this.#pending += 1;
    this.#waiting.push({ id, subject, line, appendedAt: performance.now() });
    this.#schedule();
  }

  async settled(limitMs: number): Promise<boolean> {
    if (this.#pending === 0) return true;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#settledWaiters.add(resolve);
    const limit = setTimeout(resolve, limitMs);
    await promise;
    clearTimeout(limit);
    this.#settledWaiters.delete(resolve);
    return this.#pending === 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.settled(LAST_RECORDS_MS);
    this.#disposed = true;
    this.#open = false;
    clearInterval(this.#sweeping);
    clearTimeout(this.#pause);
    this.#subscription.unsubscribe();
    for (const stop of this.#stopListening) stop();
    this.#lost += this.#pending;
    this.#pending = 0;
    this.#waiting = [];
    this.#unsent = [];
    this.#sent.clear();
    this.#reportLost();
  }

  #schedule(): void {
    if (this.#scheduled || !this.#open) return;
    this.#scheduled = true;
    setTimeout(() => {
      this.#scheduled = false;
      this.#send();
    }, COLLECT_MS);
  }

  #send(): void {
    if (!this.#open) return;
    const { maxPayload } = this.#surroundings.bus;
    const longest = Math.min(BATCH_CHARACTERS, maxPayload / BYTES_PER_CHARACTER);
    // What cannot leave yet is put together later, with what comes until then.
    if (this.#unsent.length === 0) {
      this.#unsent = gatherBatches(this.#waiting, longest);
      this.#waiting = [];
    }
    const batches = this.#unsent.splice(0, SENT_LIMIT - this.#sent.size);
    const now = performance.now();
    for (const [index, batch] of batches.entries()) {
      try {
        this.#sendOne(batch, now);
      } catch (error) {
        if (error instanceof BusPayloadTooLargeError) {
          this.#lose(batch.recordCount);
          continue;
        }
        this.#unsent = [...batches.slice(index), ...this.#unsent];
        if (error instanceof BusDisconnectedError) this.#open = false;
        else this.#stumble(error);
        return;
      }
    }
    if (this.#waiting.length > 0) this.#schedule();
  }

  #sendOne(batch: LedgerBatch, sentAt: number): void {
    const { subject, payload, id } = batch;
    const token = String(this.#nextToken);
    this.#nextToken += 1;
    this.#surroundings.bus.publish(subject, payload, {
      reply: `${this.#inbox}.${token}`,
      headers: { [MESSAGE_ID_HEADER]: id },
    });
    this.#sent.set(token, { batch, sentAt });
  }

  #lose(recordCount: number): void {
    this.#pending -= recordCount;
    this.#lost += recordCount;
  }

  #acknowledge(message: BusMessage): void {
    const token = message.subject.slice(this.#inbox.length + 1);
    const sent = this.#sent.get(token);
    if (sent === undefined) return;
    const failure = failureOf(message);
    if (failure !== undefined) {
      this.#takeBack([token]);
      this.#streamThere = false;
      this.#stumble(failure);
      return;
    }
    this.#sent.delete(token);
    this.#pending -= sent.batch.recordCount;
    this.#stored += sent.batch.recordCount;
    this.#stumbles = 0;
    if (this.#unsent.length > 0) this.#send();
    this.#tellIfSettled();
  }

  #tellIfSettled(): void {
    if (this.#pending > 0) return;
    for (const resolve of this.#settledWaiters) resolve();
  }

  #takeBack(tokens: readonly string[]): void {
    const back: LedgerBatch[] = [];
    for (const token of tokens) {
      const sent = this.#sent.get(token);
      if (sent !== undefined) back.push(sent.batch);
      this.#sent.delete(token);
    }
    if (back.length > 0) this.#unsent = [...back, ...this.#unsent];
  }

  /** Makes sure of the stream, then sends what waits. */
  async #start(): Promise<void> {
    if (this.#opening || !this.#maySend()) return;
    this.#opening = true;
    clearTimeout(this.#pause);
    this.#pause = undefined;
    try {
      if (!this.#streamThere) {
        await ensureLedgerStream(this.#surroundings, this.#options);
        this.#streamThere = true;
      }
      this.#open = this.#maySend();
    } catch (error) {
      this.#stumble(error);
    } finally {
      this.#opening = false;
    }
    this.#send();
  }

  #maySend(): boolean {
    return this.#surroundings.bus.connected && !this.#disposed;
  }

  #stumble(error: unknown): void {
    this.#open = false;
    if (this.#pause !== undefined || this.#disposed) return;
    this.#stumbles += 1;
    if (this.#stumbles === 1) {
      // What a server says of its streams quotes no content.
      const reason = error instanceof Error ? error.message : undefined;
      this.#surroundings.logger.warn({ reason, pending: this.#pending }, 'the ledger stalls');
    }
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (this.#stumbles - 1), LONGEST_PAUSE_MS);
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      void this.#start();
    }, pauseMs).unref();
  }

  #sweep(): void {
    const now = performance.now();
    const late: string[] = [];
    for (const [token, { sentAt }] of this.#sent) {
      // In the order of their sending.
      if (now - sentAt < ACKNOWLEDGE_MS) break;
      late.push(token);
    }
    if (late.length > 0) {
      this.#takeBack(late);
      this.#stumble(new Error('the stream did not acknowledge in time'));
    }
    this.#giveUp(now - GIVE_UP_MS);
    this.#reportLost();
    this.#tellIfSettled();
  }

  /** What was appended before then is not worth waiting for any more. */
  #giveUp(before: number): void {
    const isHopeful = ({ appendedAt }: { readonly appendedAt: number }) => appendedAt > before;
    for (const batch of this.#unsent) if (!isHopeful(batch)) this.#lose(batch.recordCount);
    this.#unsent = this.#unsent.filter(isHopeful);
    const waiting = this.#waiting.filter(isHopeful);
    this.#lose(this.#waiting.length - waiting.length);
    this.#waiting = waiting;
  }

  #reportLost(): void {
    if (this.#lost === this.#lostReported) return;
    const lost = this.#lost - this.#lostReported;
    this.#lostReported = this.#lost;
    this.#surroundings.logger.error({ lost, total: this.#lost }, 'records of the ledger were lost');
  }
}

function failureOf(message: BusMessage): Error | undefined {
  if (message.noResponders) return new Error('no stream keeps these subjects');
  const answer = message.json;
  if (answer === undefined) return new Error('the stream answered in riddles');
  if (typeof answer !== 'object' || answer === null || !('error' in answer)) return undefined;
  return new Error(`the stream refused a record: ${JSON.stringify(answer.error)}`);
}
