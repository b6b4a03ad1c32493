import type { Logger } from '@sluice/telemetry';
import type { BreakerState } from '../domain/breaker.ts';
import type { StoreHealth } from '../domain/store-health.ts';
import type { RedisConnection } from './connect-redis.ts';
import { StoreServer } from './store-server.ts';

export interface WholeStoreHealthOptions {
  readonly connection: RedisConnection;
  readonly probe: () => Promise<void>;
  readonly onAnswers: () => void;
  readonly logger: Logger;
}

/** One server, or the one that sentinels name, keeps everybody's limits. */
export class WholeStoreHealth implements StoreHealth {
  readonly #server: StoreServer;

  constructor({ connection, probe, onAnswers, logger }: WholeStoreHealthOptions) {
    this.#server = new StoreServer({
      isReachable: () => connection.usable,
      probe,
      said: {
        answers: 'the store answers',
        isSilent: 'the store does not answer: every admission is unavailable',
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
