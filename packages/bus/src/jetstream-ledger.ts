import { randomUUID } from 'node:crypto';
import { BusDisconnectedError, BusPayloadTooLargeError } from './bus-errors.ts';
import type { BusMessage } from './bus-message.ts';
import type { BusSubscription } from './bus.ts';
import type { JetStreamContext } from './jetstream-context.ts';
import { LedgerBacklog } from './ledger-backlog.ts';
import type { LedgerBatch } from './ledger-batches.ts';
import type { Ledger, LedgerAppend, LedgerCounts, LedgerOptions } from './ledger.ts';

const MESSAGE_ID_HEADER = 'Nats-Msg-Id';
/** Default limit of records that are not stored yet. */
const BUFFER_LIMIT = 20_000;
/** Maximum number of batches that are sent and not yet acknowledged, so that a slow server is not overloaded. */
const SENT_LIMIT = 1_024;
/**
 * How long records are collected into one batch. The caller does not wait for a record, and a batch is much cheaper to
 * send, store and acknowledge than single records.
 */
const COLLECT_MS = 100;
const BATCH_CHARACTERS = 65_536;
/**
 * For the estimated size of a batch. A character takes up to three bytes in UTF-8, and the fourth leaves room for the
 * message id.
 */
const BYTES_PER_CHARACTER = 4;
/** Time between two checks for batches that were not acknowledged and records that are too old. */
const SWEEP_INTERVAL_MS = 1_000;
/** Nothing is sent for this time after a failure. Each further failure doubles it. */
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 10_000;
/** How long disposal waits for records that are not stored yet. */
const LAST_RECORDS_MS = 2_000;

/**
 * Sends the batches of its backlog, and repeats those that the stream does not acknowledge. A repeat is safe: the
 * stream detects duplicates of the last two minutes, and readers detect later ones by the ids of the records.
 */
export class JetStreamLedger implements Ledger {
  readonly #context: JetStreamContext;
  readonly #options: LedgerOptions;
  readonly #inbox: string;
  readonly #subscription: BusSubscription;
  readonly #stopListening: readonly (() => void)[];
  readonly #sweeping: NodeJS.Timeout;
  readonly #settledWaiters = new Set<() => void>();
  readonly #backlog: LedgerBacklog;
  #nextToken = 0;
  #lostReported = 0;
  #scheduled = false;
  /** Whether records are sent at present. False while disconnected, and for a pause after a failure. */
  #isSending = false;
  #failuresInARow = 0;
  #pause: NodeJS.Timeout | undefined;
  #disposed = false;

  constructor(context: JetStreamContext, options: LedgerOptions) {
    this.#context = context;
    this.#options = options;
    this.#backlog = new LedgerBacklog({
      records: options.bufferLimit ?? BUFFER_LIMIT,
      sent: SENT_LIMIT,
    });
    const { bus } = context;
    // A random subject: other users can see the numbered inboxes of the client, and must not guess where
    // acknowledgements are sent.
    this.#inbox = `${context.inbox}.${randomUUID()}`;
    this.#subscription = bus.subscribe(`${this.#inbox}.*`, (message) => this.#acknowledge(message));
    this.#stopListening = [
      bus.onDisconnect(() => {
        this.#isSending = false;
        this.#backlog.markAllUnsent();
      }),
      bus.onReconnect(() => this.#start()),
    ];
    this.#sweeping = setInterval(() => this.#sweep(), SWEEP_INTERVAL_MS).unref();
    this.#start();
  }

  get counts(): LedgerCounts {
    return this.#backlog.counts;
  }

  append(record: LedgerAppend): void {
    if (this.#backlog.append(record, performance.now())) this.#schedule();
  }

  async settled(limitMs: number): Promise<boolean> {
    if (this.#isSettled()) return true;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#settledWaiters.add(resolve);
    const limit = setTimeout(resolve, limitMs);
    await promise;
    clearTimeout(limit);
    this.#settledWaiters.delete(resolve);
    return this.#isSettled();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.settled(LAST_RECORDS_MS);
    this.#disposed = true;
    this.#isSending = false;
    clearInterval(this.#sweeping);
    clearTimeout(this.#pause);
    this.#subscription.unsubscribe();
    for (const stop of this.#stopListening) stop();
    this.#backlog.close();
    this.#reportLost();
  }

  #schedule(): void {
    if (this.#scheduled || !this.#isSending) return;
    this.#scheduled = true;
    setTimeout(() => {
      this.#scheduled = false;
      this.#send();
    }, COLLECT_MS);
  }

  #send(): void {
    if (!this.#isSending) return;
    const { maxPayload } = this.#context.bus;
    const longest = Math.min(BATCH_CHARACTERS, maxPayload / BYTES_PER_CHARACTER);
    const batches = this.#backlog.take(longest);
    const now = performance.now();
    for (const [index, batch] of batches.entries()) {
      try {
        this.#sendOne(batch, now);
      } catch (error) {
        if (error instanceof BusPayloadTooLargeError) {
          this.#backlog.lose(batch);
          continue;
        }
        this.#backlog.putBack(batches.slice(index));
        if (error instanceof BusDisconnectedError) this.#isSending = false;
        else this.#pauseAfter(error);
        return;
      }
    }
    if (this.#backlog.hasWaiting) this.#schedule();
  }

  #sendOne(batch: LedgerBatch, now: number): void {
    const { subject, payload, id } = batch;
    const token = String(this.#nextToken);
    this.#nextToken += 1;
    this.#context.bus.publish(subject, payload, {
      reply: `${this.#inbox}.${token}`,
      headers: { [MESSAGE_ID_HEADER]: id },
    });
    this.#backlog.markSent(token, batch, now);
  }

  #acknowledge(message: BusMessage): void {
    const token = message.subject.slice(this.#inbox.length + 1);
    if (!this.#backlog.isSent(token)) return;
    const failure = failureOf(message);
    if (failure !== undefined) {
      this.#backlog.markUnsent([token]);
      this.#pauseAfter(failure);
      return;
    }
    this.#backlog.acknowledge(token);
    this.#failuresInARow = 0;
    if (this.#backlog.hasUnsent) this.#send();
    this.#resolveIfSettled();
  }

  #isSettled(): boolean {
    return this.#backlog.counts.pending === 0;
  }

  #resolveIfSettled(): void {
    if (!this.#isSettled()) return;
    for (const resolve of this.#settledWaiters) resolve();
  }

  #start(): void {
    if (!this.#maySend()) return;
    clearTimeout(this.#pause);
    this.#pause = undefined;
    this.#isSending = true;
    this.#send();
  }

  #maySend(): boolean {
    return this.#context.bus.connected && !this.#disposed;
  }

  #pauseAfter(error: unknown): void {
    this.#isSending = false;
    if (this.#pause !== undefined || this.#disposed) return;
    this.#failuresInARow += 1;
    if (this.#failuresInARow === 1) {
      // Errors of the server about its streams contain no record content.
      const reason = error instanceof Error ? error.message : undefined;
      const { pending } = this.#backlog.counts;
      const { stream } = this.#options;
      this.#context.logger.warn({ stream, reason, pending }, 'the ledger stalls');
    }
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (this.#failuresInARow - 1), MAX_PAUSE_MS);
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      this.#start();
    }, pauseMs).unref();
  }

  #sweep(): void {
    if (this.#backlog.sweep(performance.now())) {
      this.#pauseAfter(new Error('the stream did not acknowledge in time'));
    }
    this.#reportLost();
    this.#resolveIfSettled();
  }

  #reportLost(): void {
    const total = this.#backlog.counts.lost;
    if (total === this.#lostReported) return;
    const lost = total - this.#lostReported;
    this.#lostReported = total;
    const { stream } = this.#options;
    this.#context.logger.error({ stream, lost, total }, 'records of the ledger were lost');
  }
}

function failureOf(message: BusMessage): Error | undefined {
  if (message.noResponders) return new Error('no stream keeps these subjects');
  const answer = message.json;
  if (answer === undefined) return new Error('the stream gave an answer that is not JSON');
  if (typeof answer !== 'object' || answer === null || !('error' in answer)) return undefined;
  return new Error(`the stream refused a record: ${JSON.stringify(answer.error)}`);
}
