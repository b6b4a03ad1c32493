import type { Logger } from '@sluice/telemetry';
import type { RedisMode } from './redis-client.ts';

/** A server that turns out to be read-only is left, and found again: a connection this short tells nothing new. */
const BRIEF_MS = 1_000;

/** Says what becomes of the connection to Redis. An outage is one line, however many attempts it takes. */
export class ConnectionLog {
  readonly #mode: RedisMode;
  readonly #logger: Logger;
  #isConnected = false;
  #connectedAt = 0;
  /** Whether the last connection was, so that neither its end nor the next one is news. */
  #wasBrief = false;
  #hasSaidWhy = false;

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
    this.#hasSaidWhy = false;
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

  /** There is none, for this reason; of an outage the first one is told. */
  failed(reason: string, node?: string): void {
    if (this.#hasSaidWhy) return;
    this.#hasSaidWhy = true;
    this.#wasBrief = false;
    this.#logger.warn({ mode: this.#mode, reason, node }, 'no Redis connection');
  }
}
