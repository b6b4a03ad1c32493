import { LogDeduplicator, type Logger } from '@sluice/telemetry';
import type { RedisMode } from './redis-client.ts';

/** A server that turns out to be read-only is left, and found again: a connection this short tells nothing new. */
const BRIEF_MS = 1_000;

/** Says what becomes of the connection to Redis. Of an outage each reason is a line, however many attempts it takes. */
export class ConnectionLog {
  readonly #mode: RedisMode;
  readonly #logger: Logger;
  readonly #saidReasons = new LogDeduplicator();
  #isConnected = false;
  #connectedAt = 0;
  /** Whether the last connection was, so that neither its end nor the next one is news. */
  #wasBrief = false;

  constructor(mode: RedisMode, logger: Logger) {
    this.#mode = mode;
    this.#logger = logger;
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  connected(): void {
    this.#isConnected = true;
    this.#connectedAt = performance.now();
    this.#saidReasons.reset();
    if (!this.#wasBrief) this.#logger.info({ mode: this.#mode }, 'connected to Redis');
  }

  /** `wanted`: it was ended from here. */
  lost({ wanted }: { readonly wanted: boolean }): void {
    if (this.#isConnected && !wanted) {
      this.#wasBrief = performance.now() - this.#connectedAt < BRIEF_MS;
      if (!this.#wasBrief) this.#logger.warn({ mode: this.#mode }, 'connection to Redis lost');
    }
    this.#isConnected = false;
  }

  /** There is none, for this reason. Another may follow: a Redis that was gone comes back with another password. */
  failed(reason: string, node?: string): void {
    if (!this.#saidReasons.shouldLog(reason)) return;
    this.#wasBrief = false;
    this.#logger.warn({ mode: this.#mode, reason, node }, 'no Redis connection');
  }
}
