import type { Logger } from '@sluice/telemetry';
import type { Cluster, Redis } from 'ioredis';
import * as z from 'zod';
import { isConnected, mastersOf } from './cluster-masters.ts';
import { ConnectionLog } from './connection-log.ts';
import { MasterRoute } from './master-route.ts';
import {
  createRedisClient,
  isCluster,
  RECONNECT_DELAY_MS,
  sentinelsOf,
  type RedisSettings,
} from './redis-client.ts';
import { storeFailure } from './store-failure.ts';
import { watchSentinels } from './watch-sentinels.ts';

export interface RedisConnection extends Disposable {
  readonly redis: Redis | Cluster;
  /** Whether a command leaves at once, whichever master holds its key. */
  readonly usable: boolean;
}

/** Connects, and reconnects for ever until it is disposed of. */
export function connectRedis(settings: RedisSettings, logger: Logger): RedisConnection {
  const route = new MasterRoute(() => performance.now());
  const redis = createRedisClient(settings, (named) => route.lead(named));
  const log = new ConnectionLog(settings.mode, logger);
  let closed = false;
  redis.on('ready', () => log.connected());
  redis.on('close', () => log.lost({ wanted: closed }));
  // The client may end by itself, as when the sentinels change their mind while it connects.
  redis.on('end', () => {
    setTimeout(() => {
      if (!closed) redis.connect().catch(ignore);
    }, RECONNECT_DELAY_MS);
  });
  redis.on('error', (error: unknown) => {
    // The client would go on in another database, which may be somebody else's.
    if (isDatabaseRefusal(error)) redis.disconnect(true);
    log.failed(reasonOf(error));
  });
  // A node of a cluster cannot be reached by the address that was set, or that another node gave.
  redis.on('node error', (error: unknown, node: string) => {
    if (!log.isConnected) log.failed(reasonOf(error), node);
  });
  const watch = watchSentinels({
    sentinels: sentinelsOf(settings),
    name: settings.sentinelName,
    onNewMaster: (change) => {
      // All sentinels tell, one after another.
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

/** There is no such database, or this user may not have it. */
function isDatabaseRefusal(error: unknown): boolean {
  const refusal = SelectRefusal.safeParse(error);
  return refusal.success && !refusal.data.message.startsWith('NOAUTH');
}

const SelectRefusal = z.object({
  name: z.literal('ReplyError'),
  message: z.string(),
  command: z.object({ name: z.literal('select') }),
});

/** A failed attempt is told by the events of the connection, and followed by the next. */
function ignore(): void {}

/** Without one the client waits, or asks a sentinel, and then it is led to the new master. */
function hasStream(redis: Redis | Cluster): boolean {
  // Not there before the first connection, whatever its type says.
  const stream: Redis['stream'] | undefined = isCluster(redis) ? undefined : redis.stream;
  return stream !== undefined && !stream.destroyed;
}

function everyMasterConnected(cluster: Cluster): boolean {
  for (const address of mastersOf(cluster)) {
    if (address === undefined || !isConnected(cluster, address)) return false;
  }
  return true;
}
