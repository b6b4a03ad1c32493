import { performance } from 'node:perf_hooks';
import type { ConnectionOptions } from 'node:tls';
import type { Logger } from '@sluice/telemetry';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import * as z from 'zod';
import { storeFailure } from './store-failure.ts';
import { watchSentinels, type SentinelAccess } from './watch-sentinels.ts';

export type RedisMode = 'single' | 'sentinel' | 'cluster';

export interface RedisSettings {
  readonly mode: RedisMode;
  /** The server; or the sentinels; or some nodes of the cluster. */
  readonly urls: readonly URL[];
  /** The name that the sentinels know the group by. */
  readonly sentinelName: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly sentinelPassword?: string | undefined;
  readonly database: number;
  /** Certificates to trust instead of the system's, PEM as the next two. */
  readonly certificateAuthority?: string | undefined;
  /** What this side shows a server that asks who is calling. */
  readonly certificate?: string | undefined;
  readonly privateKey?: string | undefined;
}

const CONNECTION_NAME = 'sluice-quota';
const RECONNECT_DELAY_MS = 100;
const CONNECT_TIMEOUT_MS = 1_000;
/** A connection that owes a reply and brings nothing for so long is given up. */
const SILENCE_LIMIT_MS = 500;

/** A server that turns out to be read-only is left, and found again: a connection this short tells nothing new. */
const BRIEF_MS = 1_000;

/** Nothing is ever sent again, kept for later or retried: a script that runs twice charges twice. */
const NEVER_TWICE = {
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  enableAutoPipelining: false,
} satisfies RedisOptions;

export interface RedisConnection extends Disposable {
  readonly redis: Redis | Cluster;
  /** Whether a command leaves at once, whichever master holds its key. */
  readonly usable: boolean;
}

/** A cluster may live on without one of its masters: it is not waited for any longer than this. */
const MASTERS_PATIENCE_MS = 1_000;

/** Connects, and reconnects for ever until it is disposed of. */
export function connectRedis(settings: RedisSettings, logger: Logger): RedisConnection {
  const redis = create(settings);
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
    sentinels: settings.mode === 'sentinel' ? sentinelsOf(settings) : [],
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

function create(settings: RedisSettings): Redis | Cluster {
  const { mode, urls, username, password, database } = settings;
  const secure = urls[0]?.protocol === 'rediss:';
  const tls = secure ? { tls: tlsOptions(settings) } : {};
  const shared = {
    ...NEVER_TWICE,
    ...tls,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    connectionName: CONNECTION_NAME,
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_LIMIT_MS,
    // A demoted master has to be left, so that the next connection finds the new one.
    reconnectOnError: (error: Error) => error.message.includes('READONLY'),
  } satisfies RedisOptions;
  const places = placesOf(settings);
  const alone = {
    ...shared,
    db: database,
    enableOfflineQueue: false,
    retryStrategy: () => RECONNECT_DELAY_MS,
  } satisfies RedisOptions;
  switch (mode) {
    case 'single':
      return new Redis({ ...alone, ...places[0] });
    case 'sentinel':
      return new Redis({
        ...alone,
        sentinels: places,
        name: settings.sentinelName,
        sentinelRetryStrategy: () => RECONNECT_DELAY_MS,
        sentinelCommandTimeout: CONNECT_TIMEOUT_MS,
        ...(settings.sentinelPassword === undefined
          ? {}
          : { sentinelPassword: settings.sentinelPassword }),
        ...(secure ? { enableTLSForSentinelMode: true, sentinelTLS: tlsOptions(settings) } : {}),
      });
    case 'cluster':
      return connectEveryNode(
        new Cluster(places, {
          redisOptions: shared,
          enableOfflineQueue: false,
          retryDelayOnFailover: 0,
          retryDelayOnClusterDown: 0,
          clusterRetryStrategy: () => RECONNECT_DELAY_MS,
          // Names are kept as they are: certificates are made out to them, not to addresses.
          dnsLookup: (name, found) => found(null, name),
          slotsRefreshTimeout: CONNECT_TIMEOUT_MS,
          slotsRefreshInterval: SLOTS_REFRESH_MS,
        }),
      );
  }
}

function placesOf({ mode, urls }: RedisSettings): { host: string; port: number }[] {
  return urls.map(({ hostname, port }) => ({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? DEFAULT_PORTS[mode] : Number(port),
  }));
}

function sentinelsOf(settings: RedisSettings): SentinelAccess[] {
  const { urls, sentinelPassword } = settings;
  return placesOf(settings).map((place) => ({
    ...place,
    connectionName: CONNECTION_NAME,
    connectTimeout: CONNECT_TIMEOUT_MS,
    ...(sentinelPassword === undefined ? {} : { password: sentinelPassword }),
    ...(urls[0]?.protocol === 'rediss:' ? { tls: tlsOptions(settings) } : {}),
  }));
}

function leadsTo(redis: Redis | Cluster, host: string, port: number): boolean {
  if (isCluster(redis) || redis.status !== 'ready') return false;
  return redis.stream.remoteAddress === host && redis.stream.remotePort === port;
}

/**
 * A node would otherwise connect at its first command, which it keeps meanwhile, and turn the next ones
 * away. Replicas too: the one that takes over has its connection already. Not before the cluster is
 * ready, since the client's own check of that goes to a node that connects on demand.
 */
function connectEveryNode(cluster: Cluster): Cluster {
  const connect = (node: Redis) => {
    if (node.status === 'wait') node.connect().catch(ignore);
  };
  cluster.on('ready', () => {
    for (const node of cluster.nodes('all')) connect(node);
  });
  cluster.on('+node', (node: Redis) => {
    if (cluster.status === 'ready') connect(node);
  });
  return cluster;
}

export function isCluster(redis: Redis | Cluster): redis is Cluster {
  return 'nodes' in redis;
}

function everyMasterReady(redis: Redis | Cluster): boolean {
  if (!isCluster(redis)) return true;
  const masters = redis.nodes('master');
  return masters.length > 0 && masters.every(({ status }) => status === 'ready');
}

const DEFAULT_PORTS: Readonly<Record<RedisMode, number>> = {
  single: 6379,
  sentinel: 26_379,
  cluster: 6379,
};

/** A failover that no redirection told of is noticed within this. */
const SLOTS_REFRESH_MS = 500;

function tlsOptions(settings: RedisSettings): ConnectionOptions {
  const { certificateAuthority, certificate, privateKey } = settings;
  return {
    ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(privateKey === undefined ? {} : { key: privateKey }),
  };
}
