import { performance } from 'node:perf_hooks';
import type { Logger } from '@sluice/telemetry';
import type { Cluster, Redis } from 'ioredis';
import * as z from 'zod';
import {
  createRedisClient,
  isCluster,
  RECONNECT_DELAY_MS,
  sentinelsOf,
  type RedisSettings,
} from './redis-client.ts';
import { storeFailure } from './store-failure.ts';
import { watchSentinels } from './watch-sentinels.ts';

/** A server that turns out to be read-only is left, and found again: a connection this short tells nothing new. */
const BRIEF_MS = 1_000;

export interface RedisConnection extends Disposable {
  readonly redis: Redis | Cluster;
  /** Whether a command leaves at once, whichever master holds its key. */
  readonly usable: boolean;
}

/** A cluster may live on without one of its masters: it is not waited for any longer than this. */
const MASTERS_PATIENCE_MS = 1_000;

/** Connects, and reconnects for ever until it is disposed of. */
export function connectRedis(settings: RedisSettings, logger: Logger): RedisConnection {
  const redis = createRedisClient(settings);
  let closed = false;
  // An outage is one line, however many attempts it takes.
  let lost = true;
  let told = false;
  let brief = false;
  let readySince = 0;
  redis.on('ready', () => {
    lost = false;
    told = false;
    readySince = performance.now();
    if (!brief) logger.info({ mode: settings.mode }, 'connected to Redis');
  });
  redis.on('close', () => {
    if (!lost && !closed) {
      brief = performance.now() - readySince < BRIEF_MS;
      if (!brief) logger.warn({ mode: settings.mode }, 'connection to Redis lost');
    }
    lost = true;
  });
  // The client may end by itself, as when the sentinels change their mind while it connects.
  redis.on('end', () => {
    setTimeout(() => {
      if (!closed) redis.connect().catch(ignore);
    }, RECONNECT_DELAY_MS);
  });
  const explain = (error: unknown, node?: string) => {
    if (told) return;
    told = true;
    brief = false;
    const reason = isDatabaseRefusal(error) ? 'database' : storeFailure(error).reason;
    logger.warn({ mode: settings.mode, reason, node }, 'no Redis connection');
  };
  redis.on('error', (error: unknown) => {
    // The client would go on in another database, which may be somebody else's.
    if (isDatabaseRefusal(error)) redis.disconnect(true);
    explain(error);
  });
  // Of a cluster: by the address that was set, or that another node gave, it cannot be reached from here.
  redis.on('node error', (error: unknown, node: string) => {
    if (lost) explain(error, node);
  });
  const watch = watchSentinels({
    sentinels: sentinelsOf(settings),
    name: settings.sentinelName,
    onNewMaster: (host, port) => {
      // All sentinels tell, one after another.
      if (!leadsTo(redis, host, port)) redis.disconnect(true);
    },
  });
  return {
    redis,
    get usable() {
      if (redis.status !== 'ready') return false;
      return everyMasterReady(redis) || performance.now() - readySince > MASTERS_PATIENCE_MS;
    },
    [Symbol.dispose]: () => {
      closed = true;
      watch[Symbol.dispose]();
      redis.disconnect();
    },
  };
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

function leadsTo(redis: Redis | Cluster, host: string, port: number): boolean {
  if (isCluster(redis) || redis.status !== 'ready') return false;
  return redis.stream.remoteAddress === host && redis.stream.remotePort === port;
}

function everyMasterReady(redis: Redis | Cluster): boolean {
  if (!isCluster(redis)) return true;
  const masters = redis.nodes('master');
  return masters.length > 0 && masters.every(({ status }) => status === 'ready');
}
