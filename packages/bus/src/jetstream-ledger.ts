import {
  JetStreamApiCodes,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  StoreCompression,
  jetstreamManager,
  type JetStreamManager,
  type StreamInfo,
} from '@nats-io/jetstream';
import { createInbox, nanos, type NatsConnection } from '@nats-io/transport-node';
import type { Logger } from '@sluice/telemetry';
import { BusDisconnectedError, BusPayloadTooLargeError } from './bus-errors.ts';
import type { BusMessage } from './bus-message.ts';
import type { Bus, BusSubscription } from './bus.ts';
import type { Ledger, LedgerAppend, LedgerCounts, LedgerOptions } from './ledger.ts';

const MESSAGE_ID_HEADER = 'Nats-Msg-Id';
const BUFFER_LIMIT = 20_000;
/** More than this are not on their way at once: an acknowledgement comes back for each. */
const SENT_LIMIT = 2_048;
/** Nobody waits for a record, and together they are much cheaper to send, to store and to acknowledge. */
const COLLECT_MS = 25;
const ACKNOWLEDGE_MS = 5_000;
const SWEEP_INTERVAL_MS = 1_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
/** A record that could not be stored for so long is given up. */
const GIVE_UP_MS = 600_000;
const DUPLICATE_WINDOW_MS = 120_000;
const LAST_RECORDS_MS = 2_000;

export interface LedgerSurroundings {
  readonly bus: Bus;
  readonly connection: NatsConnection;
  readonly logger: Logger;
}

/** A record that is not known to be stored. */
interface Pending {
  readonly record: LedgerAppend;
  readonly appendedAt: number;
  sentAt: number;
}

/**
 * Records wait in `#waiting` until they are sent, then in `#sent` until they are acknowledged; whatever
 * goes wrong puts them back. Sending again is safe: the stream knows the ids of the last two minutes, and
 * readers tell later duplicates by theirs.
 */
export class JetStreamLedger implements Ledger {
  readonly #surroundings: LedgerSurroundings;
  readonly #options: LedgerOptions;
  readonly #inbox: string;
  readonly #subscription: BusSubscription;
  readonly #stopListening: readonly (() => void)[];
  readonly #sweeping: NodeJS.Timeout;
  readonly #settledWaiters = new Set<() => void>();
  #waiting: Pending[] = [];
  readonly #sent = new Map<string, Pending>();
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

  constructor(surroundings: LedgerSurroundings, options: LedgerOptions) {
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

  append(record: LedgerAppend): void {
    if (this.#disposed || this.#pending >= (this.#options.bufferLimit ?? BUFFER_LIMIT)) {
      this.#lost += 1;
      return;
    }
    this.#waiting.push({ record, appendedAt: performance.now(), sentAt: 0 });
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
    this.#waiting = [];
    this.#sent.clear();
    this.#reportLost();
  }

  get #pending(): number {
    return this.#waiting.length + this.#sent.size;
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
    if (!this.#open || this.#waiting.length === 0) return;
    const now = performance.now();
    const batch = this.#waiting.splice(0, SENT_LIMIT - this.#sent.size);
    for (const [index, pending] of batch.entries()) {
      try {
        this.#sendOne(pending, now);
      } catch (error) {
        if (error instanceof BusPayloadTooLargeError) {
          this.#lost += 1;
          continue;
        }
        this.#waiting = [...batch.slice(index), ...this.#waiting];
        if (error instanceof BusDisconnectedError) this.#open = false;
        else this.#stumble(error);
        return;
      }
    }
  }

  #sendOne(pending: Pending, now: number): void {
    const { subject, payload, id } = pending.record;
    const token = String(this.#nextToken);
    this.#nextToken += 1;
    this.#surroundings.bus.publish(subject, payload, {
      reply: `${this.#inbox}.${token}`,
      headers: { [MESSAGE_ID_HEADER]: id },
    });
    pending.sentAt = now;
    this.#sent.set(token, pending);
  }

  #acknowledge(message: BusMessage): void {
    const token = message.subject.slice(this.#inbox.length + 1);
    if (!this.#sent.has(token)) return;
    const failure = failureOf(message);
    if (failure !== undefined) {
      this.#takeBack([token]);
      this.#streamThere = false;
      this.#stumble(failure);
      return;
    }
    this.#sent.delete(token);
    this.#stored += 1;
    this.#stumbles = 0;
    this.#schedule();
    this.#tellIfSettled();
  }

  #tellIfSettled(): void {
    if (this.#pending > 0) return;
    for (const resolve of this.#settledWaiters) resolve();
  }

  #takeBack(tokens: readonly string[]): void {
    const back: Pending[] = [];
    for (const token of tokens) {
      const pending = this.#sent.get(token);
      if (pending !== undefined) back.push(pending);
      this.#sent.delete(token);
    }
    if (back.length > 0) this.#waiting = [...back, ...this.#waiting];
  }

  /** Makes sure of the stream, then sends what waits. */
  async #start(): Promise<void> {
    if (this.#opening || !this.#maySend()) return;
    this.#opening = true;
    clearTimeout(this.#pause);
    this.#pause = undefined;
    try {
      if (!this.#streamThere) {
        await ensureStream(this.#surroundings, this.#options);
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
    const hopeful = this.#waiting.filter(({ appendedAt }) => now - appendedAt < GIVE_UP_MS);
    this.#lost += this.#waiting.length - hopeful.length;
    this.#waiting = hopeful;
    this.#reportLost();
    this.#tellIfSettled();
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
  try {
    const { buffer, byteOffset, byteLength } = message.data;
    const answer: unknown = JSON.parse(
      Buffer.from(buffer, byteOffset, byteLength).toString('utf8'),
    );
    if (typeof answer !== 'object' || answer === null || !('error' in answer)) return undefined;
    return new Error(`the stream refused a record: ${JSON.stringify(answer.error)}`);
  } catch (error) {
    return new Error('the stream answered in riddles', { cause: error });
  }
}

/** Whoever comes first creates it; whoever comes later with other bounds changes them. */
async function ensureStream(
  { connection, logger }: LedgerSurroundings,
  { stream, subjects, replicas, maxAgeMs, maxBytes }: LedgerOptions,
): Promise<void> {
  const manager = await jetstreamManager(connection);
  const wanted = {
    num_replicas: replicas,
    max_age: nanos(maxAgeMs),
    max_bytes: maxBytes,
  };
  const { config } = await findOrCreate(manager, stream, async () =>
    manager.streams.add({
      name: stream,
      subjects: [subjects],
      description: 'What became of each request and attempt',
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      compression: StoreCompression.S2,
      duplicate_window: nanos(Math.min(DUPLICATE_WINDOW_MS, maxAgeMs)),
      ...wanted,
    }),
  );
  const same =
    config.num_replicas === replicas &&
    config.max_age === wanted.max_age &&
    config.max_bytes === maxBytes;
  if (same) return;
  try {
    await manager.streams.update(stream, wanted);
  } catch (error) {
    // It is kept under its old bounds: no reason to lose records.
    logger.warn({ err: error, stream }, 'the bounds of the ledger could not be changed');
  }
}

async function findOrCreate(
  manager: JetStreamManager,
  stream: string,
  create: () => Promise<StreamInfo>,
): Promise<StreamInfo> {
  try {
    return await manager.streams.info(stream);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  try {
    return await create();
  } catch (error) {
    // Somebody else was first, with bounds of their own.
    if (!(error instanceof JetStreamApiError)) throw error;
    return manager.streams.info(stream).catch(() => {
      throw error;
    });
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound;
}
