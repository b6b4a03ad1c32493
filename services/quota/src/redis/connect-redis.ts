import { type Logger, LogDeduplicator } from '@sluice/service';
import type { Cluster, Redis } from 'ioredis';
import * as z from 'zod';
import { isConnected, mastersOf } from './cluster-map.ts';
import { MasterRoute } from './master-route.ts';
import {
  createRedisClient,
  isCluster,
  RECONNECT_DELAY_MS,
  sentinelsOf,
  type RedisSettings,
  type RedisMode,
} from './redis-client.ts';
import { storeFailure } from './store-errors.ts';
import { watchSentinels } from './watch-sentinels.ts';

export interface RedisConnection extends Disposable {
  readonly redis: Redis | Cluster;
  /** Whether all masters are connected, so that a command for any key is sent at once. */
  readonly usable: boolean;
}

/** Connects, and reconnects until it is disposed. */
export function connectRedis(settings: RedisSettings, logger: Logger): RedisConnection {
  const route = new MasterRoute(() => performance.now());
  const redis = createRedisClient(settings, (address) => route.resolve(address));
  const log = new ConnectionLog(settings.mode, logger);
  let closed = false;
  redis.on('ready', () => log.connected());
  redis.on('close', () => log.lost({ wanted: closed }));
  // ioredis can end by itself, for example if the sentinels name another master while it connects.
  redis.on('end', () => {
    setTimeout(() => {
      if (!closed) redis.connect().catch(ignore);
    }, RECONNECT_DELAY_MS);
  });
  redis.on('error', (error: unknown) => {
    // ioredis would continue in database 0, which may belong to another application.
    if (isDatabaseRefusal(error)) redis.disconnect(true);
    log.failed(reasonOf(error));
  });
  // Emitted when a node of a cluster cannot be reached at its configured or announced address.
  redis.on('node error', (error: unknown, node: string) => {
    if (!log.isConnected) log.failed(reasonOf(error), node);
  });
  const watch = watchSentinels({
    sentinels: sentinelsOf(settings),
    name: settings.sentinelName,
    onNewMaster: (change) => {
      // Every sentinel reports the change; only the first report changes the route.
      if (route.note(change) && hasStream(redis)) redis.disconnect(true);
    },
  });
  return {
    redis,
    get usable() {
      return redis.status === 'ready' && (!isCluster(redis) || everyMasterConnected(redis));
    },
    [Symbol.dispose]: () => {
      closed = true;
      watch[Symbol.dispose]();
      redis.disconnect();
    },
  };
}

function reasonOf(error: unknown): string {
  return isDatabaseRefusal(error) ? 'database' : storeFailure(error).reason;
}

/** The database does not exist, or the user has no permission for it. */
function isDatabaseRefusal(error: unknown): boolean {
  const refusal = SelectRefusal.safeParse(error);
  return refusal.success && !refusal.data.message.startsWith('NOAUTH');
}

const SelectRefusal = z.object({
  name: z.literal('ReplyError'),
  message: z.string(),
  command: z.object({ name: z.literal('select') }),
});

/** Ignores a failed `connect`: events report each failed attempt, and the client tries again. */
function ignore(): void {}

/**
 * Whether there is a connection that must be closed to reach the new master. Without one, the client is about to ask a
 * sentinel and connects to the new master anyway.
 */
function hasStream(redis: Redis | Cluster): boolean {
  // Undefined before the first connection, although its type does not say so.
  const stream: Redis['stream'] | undefined = isCluster(redis) ? undefined : redis.stream;
  return stream !== undefined && !stream.destroyed;
}

function everyMasterConnected(cluster: Cluster): boolean {
  for (const address of mastersOf(cluster)) {
    if (address === undefined || !isConnected(cluster, address)) return false;
  }
  return true;
}

/**
 * A connection that lasted for less than this is not logged, because ioredis reconnects again and again to a server
 * that is read-only.
 */
const BRIEF_CONNECTION_MS = 1_000;

/** Logs changes of the connection to Redis. During an outage, each reason is logged once. */
export class ConnectionLog {
  readonly #mode: RedisMode;
  readonly #logger: Logger;
  readonly #loggedReasons = new LogDeduplicator();
  #isConnected = false;
  #connectedAt = 0;
  /** Whether the last connection was brief. Then neither its end nor the next connection is logged. */
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
    this.#loggedReasons.reset();
    if (!this.#wasBrief) this.#logger.info({ mode: this.#mode }, 'connected to Redis');
  }

  /** `wanted`: whether this process closed the connection. */
  lost({ wanted }: { readonly wanted: boolean }): void {
    if (this.#isConnected && !wanted) {
      this.#wasBrief = performance.now() - this.#connectedAt < BRIEF_CONNECTION_MS;
      if (!this.#wasBrief) this.#logger.warn({ mode: this.#mode }, 'connection to Redis lost');
    }
    this.#isConnected = false;
  }

  /** Logs why there is no connection. An outage can have several reasons, for example ECONNREFUSED, then WRONGPASS. */
  failed(reason: string, node?: string): void {
    if (!this.#loggedReasons.shouldLog(reason)) return;
    this.#wasBrief = false;
    this.#logger.warn({ mode: this.#mode, reason, node }, 'no Redis connection');
  }
}
