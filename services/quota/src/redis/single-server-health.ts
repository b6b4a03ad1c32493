import type { Logger } from '@sluice/service';
import type { BreakerState } from '../limiter/breaker.ts';
import type { StoreHealth } from '../limiter/limit-store.ts';
import type { RedisConnection } from './connect-redis.ts';
import { RedisServerHealth } from './redis-server-health.ts';

export interface SingleServerHealthOptions {
  readonly connection: RedisConnection;
  readonly probe: () => Promise<void>;
  readonly onAnswers: () => void;
  readonly logger: Logger;
}

/** The health of a single server, or of the master that sentinels name. It keeps the limits of all organizations. */
export class SingleServerHealth implements StoreHealth {
  readonly #server: RedisServerHealth;

  constructor({ connection, probe, onAnswers, logger }: SingleServerHealthOptions) {
    this.#server = new RedisServerHealth({
      isReachable: () => connection.usable,
      probe,
      messages: {
        closed: 'the store answers',
        open: 'the store does not answer: every admission is unavailable',
      },
      onAnswers,
      logger,
    });
    connection.redis.on('ready', () => this.#server.probe());
  }

  get state(): BreakerState {
    return this.#server.state;
  }

  answersFor(): boolean {
    return this.#server.state === 'closed';
  }

  answered(): void {
    this.#server.answered();
  }

  failed(_organization: string, reason: unknown): void {
    this.#server.failed(reason);
  }

  [Symbol.dispose](): void {
    this.#server[Symbol.dispose]();
  }
}
