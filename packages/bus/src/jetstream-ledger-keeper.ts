import { JetStreamApiError, type StreamInfo } from '@nats-io/jetstream';
import { LogDeduplicator } from '@sluice/telemetry';
import type { JetStreamSurroundings } from './jetstream-surroundings.ts';
import { boundLedgerStream, ensureLedgerStream } from './ledger-stream.ts';
import type { LedgerStreamKeeper, LedgerStreamOptions, LedgerStreamState } from './ledger.ts';
import { reasonOf } from './stream-errors.ts';

/** Records wait in their senders meanwhile, which have room for more than this. */
const CHECK_MS = 2_000;
const RETRY_MS = 500;

/**
 * Looks at the stream again and again: it is made when it is missing, at the start as well as later. Its bounds are
 * set once, or replicas with different settings would change them back and forth.
 */
export class JetStreamLedgerKeeper implements LedgerStreamKeeper {
  readonly #surroundings: JetStreamSurroundings;
  readonly #options: LedgerStreamOptions;
  readonly #said = new LogDeduplicator();
  #state: LedgerStreamState = { exists: false, fault: 'not looked for yet' };
  #hasBounds = false;
  #timer: NodeJS.Timeout | undefined;
  #disposed = false;

  constructor(surroundings: JetStreamSurroundings, options: LedgerStreamOptions) {
    this.#surroundings = surroundings;
    this.#options = options;
    void this.#look();
  }

  get state(): LedgerStreamState {
    return this.#state;
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const state = await this.#keep();
    if (this.#disposed) return;
    this.#state = state;
    const pauseMs = state.exists ? CHECK_MS : RETRY_MS;
    this.#timer = setTimeout(() => void this.#look(), pauseMs).unref();
  }

  async #keep(): Promise<LedgerStreamState> {
    const { bus, connection } = this.#surroundings;
    if (!bus.connected) return { ...this.#state, fault: 'no connection to NATS' };
    let found: StreamInfo;
    try {
      found = await ensureLedgerStream(connection, this.#options);
    } catch (error) {
      const fault = reasonOf(error);
      this.#warn(fault, 'the stream of the ledger cannot be made sure of');
      // Silence says nothing of a stream that was there.
      return { exists: this.#state.exists && !(error instanceof JetStreamApiError), fault };
    }
    try {
      if (!this.#hasBounds) await boundLedgerStream(connection, found, this.#options);
    } catch (error) {
      // It is kept under its old bounds: no reason to lose records.
      const fault = reasonOf(error);
      this.#warn(fault, 'the bounds of the ledger could not be changed');
      return { exists: true, fault };
    }
    this.#hasBounds = true;
    const { stream } = this.#options;
    if (this.#said.reset()) this.#surroundings.logger.info({ stream }, 'the ledger is kept');
    return { exists: true, fault: undefined };
  }

  #warn(reason: string, fault: string): void {
    if (this.#disposed || !this.#said.shouldLog(`${fault}: ${reason}`)) return;
    const { stream } = this.#options;
    this.#surroundings.logger.warn({ stream, reason }, fault);
  }
}
