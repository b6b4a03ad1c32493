import { waitUntil } from '@sluice/devkit';
import { Cluster, Redis } from 'ioredis';
import { startRedisCluster } from './redis-cluster.ts';
import { ask, type RedisProcess } from './redis-processes.ts';
import { startSentinelGroup } from './redis-sentinel.ts';

/** How a master is replaced. */
export type FailoverCause = 'kill' | 'freeze' | 'demand';

/** A store of real processes with failover. */
export interface ReplicatedStore extends AsyncDisposable {
  /** The settings of quota for this store. */
  readonly settings: Readonly<Record<string, string>>;
  connect(): Redis | Cluster;
  /** Resolves when the store serves all keys again, with the milliseconds that this took. */
  failover(cause: FailoverCause): Promise<number>;
}

const CHECK_EVERY_MS = 5;
const FAILOVER_TIMEOUT_MS = 30_000;

export const REPLICATED_STORES = [
  ['Redis Sentinel', startSentinelStore],
  ['a Redis Cluster', startClusterStore],
] as const satisfies [string, () => Promise<ReplicatedStore>][];

async function startSentinelStore(): Promise<ReplicatedStore> {
  const group = await startSentinelGroup({ replicas: 2 });
  const { master, sentinels, name } = group;
  let port = master.port;
  return {
    settings: {
      REDIS_MODE: 'sentinel',
      REDIS_SENTINEL_NAME: name,
      REDIS_URL: addressesOf(sentinels),
    },
    connect: () => new Redis(port, '127.0.0.1'),
    failover: async (cause) => {
      const since = performance.now();
      if (cause === 'demand') await ask(sentinels[0]?.port ?? 0, 'sentinel', 'failover', name);
      else await fail(master, cause);
      await waitUntil(
        async () => {
          port = await group.masterPort();
          return port !== master.port;
        },
        { what: 'a new master', timeoutMs: FAILOVER_TIMEOUT_MS, everyMs: CHECK_EVERY_MS },
      );
      return performance.now() - since;
    },
    [Symbol.asyncDispose]: () => group[Symbol.asyncDispose](),
  };
}

async function startClusterStore(): Promise<ReplicatedStore> {
  const cluster = await startRedisCluster({ replicated: true });
  const [master] = cluster.masters;
  const [replica] = cluster.replicas;
  if (master === undefined || replica === undefined) throw new Error('there are three of each');
  const others = [...cluster.masters, ...cluster.replicas].filter((node) => node !== master);
  return {
    settings: {
      REDIS_MODE: 'cluster',
      REDIS_URL: addressesOf([...cluster.masters, ...cluster.replicas]),
    },
    connect: () => new Cluster(others.map(({ port }) => ({ host: '127.0.0.1', port }))),
    failover: async (cause) => {
      const since = performance.now();
      if (cause === 'demand') await ask(replica.port, 'cluster', 'failover');
      else await fail(master, cause);
      await waitUntil(async () => String(await ask(replica.port, 'role')).startsWith('master'), {
        what: 'a new master',
        timeoutMs: FAILOVER_TIMEOUT_MS,
        everyMs: CHECK_EVERY_MS,
      });
      for (const { port } of others) {
        await waitUntil(
          async () => String(await ask(port, 'cluster', 'info')).includes('cluster_state:ok'),
          { what: 'a whole cluster', timeoutMs: FAILOVER_TIMEOUT_MS, everyMs: CHECK_EVERY_MS },
        );
      }
      return performance.now() - since;
    },
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

async function fail(master: RedisProcess, cause: 'kill' | 'freeze'): Promise<void> {
  if (cause === 'kill') await master.kill();
  else master.pause();
}

function addressesOf(nodes: readonly RedisProcess[]): string {
  return nodes.map(({ port }) => `redis://127.0.0.1:${port}`).join(',');
}
