import type { ConnectionOptions } from 'node:tls';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { SentinelAccess, ServerAddress } from './watch-sentinels.ts';

export type RedisMode = 'single' | 'sentinel' | 'cluster';

export interface RedisSettings {
  readonly mode: RedisMode;
  /** The server, the sentinels, or some nodes of the cluster, depending on the mode. */
  readonly urls: readonly URL[];
  /** The name of the master group in the configuration of the sentinels. */
  readonly sentinelName: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly sentinelPassword?: string | undefined;
  readonly database: number;
  /** CA certificates to trust instead of those of the system, as PEM. */
  readonly certificateAuthority?: string | undefined;
  /** The client certificate, as PEM. */
  readonly certificate?: string | undefined;
  readonly privateKey?: string | undefined;
}

const CONNECTION_NAME = 'sluice-quota';
export const RECONNECT_DELAY_MS = 100;
/**
 * The first attempt to reconnect has no delay, because admissions wait for it. An attempt is the first one if there was
 * no other within this time.
 */
const IMMEDIATE_RETRY_INTERVAL_MS = 1_000;
/** How long to wait for pending replies of a replaced master. A frozen master does not close the connection itself. */
const DISCONNECT_TIMEOUT_MS = 50;
const CONNECT_TIMEOUT_MS = 1_000;
/** A connection with pending replies is closed if nothing arrives for this long. */
const SOCKET_TIMEOUT_MS = 500;

/** ioredis must not resend or retry a command: a script that runs twice charges twice. */
const NO_RESEND = {
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  enableAutoPipelining: false,
} satisfies RedisOptions;

const DEFAULT_PORTS: Readonly<Record<RedisMode, number>> = {
  single: 6379,
  sentinel: 26_379,
  cluster: 6379,
};

/**
 * How often the slots of a cluster are read while every master answers. While a master does not answer, ClusterHealth
 * reads them before each probe.
 */
const SLOTS_REFRESH_MS = 500;
/** ioredis asks a random node for the slots. If this node is frozen, ioredis asks the next one after this time. */
const SLOTS_REFRESH_TIMEOUT_MS = 200;

/** Maps the address of the master, as a sentinel gives it, to the address to connect to. Null keeps the address. */
type MapMasterAddress = (address: string) => ServerAddress | null;

/** Creates the client. It connects and reconnects by itself, and reports this only by events. */
export function createRedisClient(
  settings: RedisSettings,
  mapMasterAddress: MapMasterAddress,
): Redis | Cluster {
  const { mode, username, password, database } = settings;
  const secure = isSecure(settings);
  const tls = secure ? { tls: tlsOptions(settings) } : {};
  const shared = {
    ...NO_RESEND,
    ...tls,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    connectionName: CONNECTION_NAME,
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    // READONLY means that the master was demoted. The next connection finds the new one.
    reconnectOnError: (error: Error) => error.message.includes('READONLY'),
  } satisfies RedisOptions;
  const addresses = addressesOf(settings);
  const singleServer = {
    ...shared,
    db: database,
    enableOfflineQueue: false,
    retryStrategy: immediatelyThenEvery(RECONNECT_DELAY_MS),
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
  } satisfies RedisOptions;
  switch (mode) {
    case 'single':
      return new Redis({ ...singleServer, ...addresses[0] });
    case 'sentinel':
      return new Redis({
        ...singleServer,
        sentinels: addresses,
        name: settings.sentinelName,
        natMap: mapMasterAddress,
        // ioredis calls this when no sentinel has named a master. The first time, it asks them all again at once.
        // https://github.com/redis/ioredis/blob/v6.0.0/lib/connectors/SentinelConnector/index.ts
        sentinelRetryStrategy: (attempts) => (attempts === 1 ? 0 : RECONNECT_DELAY_MS),
        sentinelCommandTimeout: CONNECT_TIMEOUT_MS,
        ...(settings.sentinelPassword === undefined
          ? {}
          : { sentinelPassword: settings.sentinelPassword }),
        ...(secure ? { enableTLSForSentinelMode: true, sentinelTLS: tlsOptions(settings) } : {}),
      });
    case 'cluster':
      return connectEveryNode(
        new Cluster(addresses, {
          redisOptions: shared,
          enableOfflineQueue: false,
          retryDelayOnFailover: 0,
          retryDelayOnClusterDown: 0,
          clusterRetryStrategy: () => RECONNECT_DELAY_MS,
          // ioredis would connect to resolved IP addresses. Host names are kept instead, because certificates contain
          // them.
          dnsLookup: (name, found) => found(null, name),
          slotsRefreshTimeout: SLOTS_REFRESH_TIMEOUT_MS,
          slotsRefreshInterval: SLOTS_REFRESH_MS,
        }),
      );
  }
}

function immediatelyThenEvery(delayMs: number): () => number {
  let triedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    const isFirst = now - triedAt >= IMMEDIATE_RETRY_INTERVAL_MS;
    triedAt = now;
    return isFirst ? 0 : delayMs;
  };
}

function addressesOf({ mode, urls }: RedisSettings): { host: string; port: number }[] {
  return urls.map(({ hostname, port }) => ({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? DEFAULT_PORTS[mode] : Number(port),
  }));
}

/** How to connect to each sentinel. Empty in other modes. */
export function sentinelsOf(settings: RedisSettings): SentinelAccess[] {
  const { mode, sentinelPassword } = settings;
  if (mode !== 'sentinel') return [];
  return addressesOf(settings).map((address) => ({
    ...address,
    connectionName: CONNECTION_NAME,
    connectTimeout: CONNECT_TIMEOUT_MS,
    ...(sentinelPassword === undefined ? {} : { password: sentinelPassword }),
    ...(isSecure(settings) ? { tls: tlsOptions(settings) } : {}),
  }));
}

/**
 * Connects to all nodes in advance. Otherwise ioredis connects to a node at its first command, and rejects all further
 * commands until it is connected. Replicas are included, so that a promoted replica is connected already. The nodes
 * must not connect before `ready`: ioredis first checks the cluster with a command to any node, and would reject it
 * while this node connects.
 * https://github.com/redis/ioredis/blob/v6.0.0/lib/cluster/index.ts
 */
function connectEveryNode(cluster: Cluster): Cluster {
  const connect = (node: Redis) => {
    if (node.status === 'wait') node.connect().catch(() => undefined);
  };
  cluster.on('ready', () => {
    for (const node of cluster.nodes('all')) connect(node);
  });
  cluster.on('+node', (node: Redis) => {
    ignoreFailedAsking(node);
    if (cluster.status === 'ready') connect(node);
  });
  return cluster;
}

/**
 * While a slot moves, ioredis sends ASKING before the command and ignores the promise of ASKING. If the connection is
 * lost, its rejection would be unhandled and end the process. The command itself is rejected as well.
 * https://github.com/redis/ioredis/blob/v6.0.0/lib/cluster/index.ts
 */
function ignoreFailedAsking(node: Redis): void {
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

/** The settings ensure that all addresses have the same protocol. */
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
