import { JetStreamApiError, type StreamInfo } from '@nats-io/jetstream';
import { LogDeduplicator } from '@sluice/service';
import type { JetStreamContext } from './jetstream-context.ts';
import { boundLedgerStream, ensureLedgerStream } from './ledger-stream.ts';
import type { LedgerStreamKeeper, LedgerStreamOptions, LedgerStreamState } from './ledger.ts';
import { reasonOf } from './stream-errors.ts';

/**
 * Time between two checks of the stream. Writers buffer their records for longer than this while the stream is missing.
 */
const CHECK_MS = 2_000;
const RETRY_MS = 500;

/**
 * Checks the stream periodically and creates it if it is missing, at the start and later. Each process sets the limits
 * of an existing stream only once. Otherwise processes with different settings would change them again and again.
 */
export class JetStreamLedgerKeeper implements LedgerStreamKeeper {
  readonly #context: JetStreamContext;
  readonly #options: LedgerStreamOptions;
  readonly #logged = new LogDeduplicator();
  #state: LedgerStreamState = { exists: false, fault: 'not looked for yet' };
  #hasBounds = false;
  #timer: NodeJS.Timeout | undefined;
  #disposed = false;

  constructor(context: JetStreamContext, options: LedgerStreamOptions) {
    this.#context = context;
    this.#options = options;
    void this.#check();
  }

  get state(): LedgerStreamState {
    return this.#state;
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    clearTimeout(this.#timer);
  }

  async #check(): Promise<void> {
    const state = await this.#keep();
    if (this.#disposed) return;
    this.#state = state;
    const pauseMs = state.exists ? CHECK_MS : RETRY_MS;
    this.#timer = setTimeout(() => void this.#check(), pauseMs).unref();
  }

  async #keep(): Promise<LedgerStreamState> {
    const { bus, connection } = this.#context;
    if (!bus.connected) return { ...this.#state, fault: 'no connection to NATS' };
    let found: StreamInfo;
    try {
      found = await ensureLedgerStream(connection, this.#options);
    } catch (error) {
      const fault = reasonOf(error);
      this.#warn(fault, 'the stream of the ledger could not be checked or created');
      // Without an answer from JetStream, the previous state of the stream is kept.
      return { exists: this.#state.exists && !(error instanceof JetStreamApiError), fault };
    }
    try {
      if (!this.#hasBounds) await boundLedgerStream(connection, found, this.#options);
    } catch (error) {
      // The stream keeps its old limits, and records are still stored.
      const fault = reasonOf(error);
      this.#warn(fault, 'the bounds of the ledger could not be changed');
      return { exists: true, fault };
    }
    this.#hasBounds = true;
    const { stream } = this.#options;
    if (this.#logged.reset()) this.#context.logger.info({ stream }, 'the ledger is kept');
    return { exists: true, fault: undefined };
  }

  #warn(reason: string, fault: string): void {
    if (this.#disposed || !this.#logged.shouldLog(`${fault}: ${reason}`)) return;
    const { stream } = this.#options;
    this.#context.logger.warn({ stream, reason }, fault);
  }
}
