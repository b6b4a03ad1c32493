import { Cluster, Redis } from 'ioredis';
import { startRedisCluster } from './redis-cluster.ts';
import { ask, startRedisProcess, type RedisProcess } from './redis-processes.ts';

/** A store of real processes, all of which a suite breaks at once. */
export interface FaultStore extends AsyncDisposable {
  /** The settings of quota for this store. */
  readonly settings: Readonly<Record<string, string>>;
  connect(): Redis | Cluster;
  /** Sends a command to every process, each time on a new connection. */
  command(...command: [string, ...string[]]): Promise<void>;
  kill(): Promise<void>;
  /** Resolves when the store accepts commands again. */
  restart(): Promise<void>;
  pause(): void;
  resume(): void;
}

export const FAULT_STORES = [
  ['a single Redis', startSingleStore],
  ['a Redis Cluster of three', startClusterStore],
] as const satisfies [string, () => Promise<FaultStore>][];

async function startSingleStore(): Promise<FaultStore> {
  const server = await startRedisProcess();
  return {
    ...everyProcess([server]),
    settings: { REDIS_URL: `redis://127.0.0.1:${server.port}` },
    connect: () => new Redis(server.port, '127.0.0.1'),
    restart: () => server.restart(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function startClusterStore(): Promise<FaultStore> {
  const cluster = await startRedisCluster();
  const { masters } = cluster;
  return {
    ...everyProcess(masters),
    settings: {
      REDIS_MODE: 'cluster',
      REDIS_URL: masters.map(({ port }) => `redis://127.0.0.1:${port}`).join(','),
    },
    connect: () => new Cluster(masters.map(({ port }) => ({ host: '127.0.0.1', port }))),
    restart: async () => {
      await Promise.all(masters.map((master) => master.restart()));
      await cluster.whole();
    },
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

function everyProcess(
  processes: readonly RedisProcess[],
): Pick<FaultStore, 'command' | 'kill' | 'pause' | 'resume'> {
  return {
    command: async (...command) => {
      await Promise.all(processes.map(({ port }) => ask(port, ...command)));
    },
    kill: async () => {
      await Promise.all(processes.map((server) => server.kill()));
    },
    pause: () => {
      for (const server of processes) server.pause();
    },
    resume: () => {
      for (const server of processes) server.resume();
    },
  };
}
