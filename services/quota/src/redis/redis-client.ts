import type { ConnectionOptions } from 'node:tls';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { SentinelAccess, ServerAddress } from './watch-sentinels.ts';

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
export const RECONNECT_DELAY_MS = 100;
/** The first attempt to reconnect is made at once, since admissions wait for it; but no more than one in this time. */
const AT_ONCE_EVERY_MS = 1_000;
/** What a master that was replaced still has to answer comes within this; a frozen one does not even close. */
const DISCONNECT_TIMEOUT_MS = 50;
const CONNECT_TIMEOUT_MS = 1_000;
/** A connection that owes a reply and brings nothing for so long is given up. */
const SILENCE_LIMIT_MS = 500;

/** Nothing is ever sent again, kept for later or retried: a script that runs twice charges twice. */
const NEVER_TWICE = {
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  enableAutoPipelining: false,
} satisfies RedisOptions;

const DEFAULT_PORTS: Readonly<Record<RedisMode, number>> = {
  single: 6379,
  sentinel: 26_379,
  cluster: 6379,
};

/** A failover that no redirection told of is noticed within this. */
const SLOTS_REFRESH_MS = 500;

/** Given the master's address as a sentinel names it, the one to connect to, if that is another. */
type LeadToMaster = (named: string) => ServerAddress | null;

/** Connects by itself, again and again. What becomes of that is told by its events alone. */
export function createRedisClient(settings: RedisSettings, lead: LeadToMaster): Redis | Cluster {
  const { mode, username, password, database } = settings;
  const secure = isSecure(settings);
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
    retryStrategy: atOnceAndThenEvery(RECONNECT_DELAY_MS),
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
  } satisfies RedisOptions;
  switch (mode) {
    case 'single':
      return new Redis({ ...alone, ...places[0] });
    case 'sentinel':
      return new Redis({
        ...alone,
        sentinels: places,
        name: settings.sentinelName,
        natMap: lead,
        // The client asks each sentinel in turn and says that none is there when it begins again with the first.
        sentinelRetryStrategy: (attempts) => (attempts === 1 ? 0 : RECONNECT_DELAY_MS),
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

function atOnceAndThenEvery(delayMs: number): () => number {
  let triedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    const isFirst = now - triedAt >= AT_ONCE_EVERY_MS;
    triedAt = now;
    return isFirst ? 0 : delayMs;
  };
}

function placesOf({ mode, urls }: RedisSettings): { host: string; port: number }[] {
  return urls.map(({ hostname, port }) => ({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? DEFAULT_PORTS[mode] : Number(port),
  }));
}

/** How each of the sentinels is reached, where there are any. */
export function sentinelsOf(settings: RedisSettings): SentinelAccess[] {
  const { mode, sentinelPassword } = settings;
  if (mode !== 'sentinel') return [];
  return placesOf(settings).map((place) => ({
    ...place,
    connectionName: CONNECTION_NAME,
    connectTimeout: CONNECT_TIMEOUT_MS,
    ...(sentinelPassword === undefined ? {} : { password: sentinelPassword }),
    ...(isSecure(settings) ? { tls: tlsOptions(settings) } : {}),
  }));
}

/**
 * A node would otherwise connect at its first command, which it keeps meanwhile, and turn the next ones
 * away. Replicas too: the one that takes over has its connection already. Not before the cluster is
 * ready, since the client's own check of that goes to a node that connects on demand.
 */
function connectEveryNode(cluster: Cluster): Cluster {
  const connect = (node: Redis) => {
    if (node.status === 'wait') node.connect().catch(() => undefined);
  };
  cluster.on('ready', () => {
    for (const node of cluster.nodes('all')) connect(node);
  });
  cluster.on('+node', (node: Redis) => {
    ignoreLostAsking(node);
    if (cluster.status === 'ready') connect(node);
  });
  return cluster;
}

/**
 * Ahead of what it sends to a node that is getting the key's slot, the client says so, and looks at no answer. One
 * that is lost with the connection would end the process; what was sent behind it fails by itself.
 */
function ignoreLostAsking(node: Redis): void {
  const asking = node.asking.bind(node);
  node.asking = () => {
    const answer = asking();
    answer.catch(() => undefined);
    return answer;
  };
}

export function isCluster(redis: Redis | Cluster): redis is Cluster {
  return 'nodes' in redis;
}

/** All addresses are, or none is. */
function isSecure({ urls }: RedisSettings): boolean {
  return urls[0]?.protocol === 'rediss:';
}

function tlsOptions(settings: RedisSettings): ConnectionOptions {
  const { certificateAuthority, certificate, privateKey } = settings;
  return {
    ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(privateKey === undefined ? {} : { key: privateKey }),
  };
}
