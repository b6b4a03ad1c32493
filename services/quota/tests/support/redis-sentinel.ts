import { waitUntil } from '@sluice/devkit';
import { ask, startRedisProcess, type RedisProcess } from './redis-processes.ts';

export interface SentinelGroup extends AsyncDisposable {
  readonly name: string;
  readonly master: RedisProcess;
  readonly replica: RedisProcess;
  readonly replicas: readonly RedisProcess[];
  readonly sentinels: readonly RedisProcess[];
  /** The port of the master according to the sentinels. */
  masterPort(): Promise<number>;
}

const NAME = 'limits';

/** A real master with replicas, watched by three real sentinels. */
export async function startSentinelGroup({ replicas: count = 1 } = {}): Promise<SentinelGroup> {
  await using started = new AsyncDisposableStack();
  const master = started.use(await startRedisProcess());
  const replicas: RedisProcess[] = [];
  while (replicas.length < count) {
    const settings = [`replicaof 127.0.0.1 ${master.port}`];
    replicas.push(started.use(await startRedisProcess({ settings })));
  }
  const [replica] = replicas;
  if (replica === undefined) throw new Error('a group has a replica');
  for (const { port } of replicas) {
    await waitUntil(
      async () => String(await ask(port, 'info', 'replication')).includes('link_status:up'),
      { what: 'a replica to follow its master' },
    );
  }
  const sentinels: RedisProcess[] = [];
  while (sentinels.length < 3) {
    const settings = [
      `sentinel monitor ${NAME} 127.0.0.1 ${master.port} 2`,
      `sentinel down-after-milliseconds ${NAME} 500`,
      `sentinel failover-timeout ${NAME} 5000`,
    ];
    sentinels.push(started.use(await startRedisProcess({ settings, sentinel: true })));
  }
  for (const { port } of sentinels) {
    await waitUntil(
      async () =>
        String(await ask(port, 'sentinel', 'ckquorum', NAME)).startsWith('OK 3') &&
        (await knowsReplicas(port, replicas)),
      { what: 'the sentinels to know each other and the replicas', timeoutMs: 30_000 },
    );
  }
  const owned = started.move();
  return {
    name: NAME,
    master,
    replica,
    replicas,
    sentinels,
    masterPort: async () => {
      const reply = await ask(sentinels[0]?.port ?? 0, 'sentinel', 'get-master-addr-by-name', NAME);
      return Number(Array.isArray(reply) ? reply[1] : 0);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function knowsReplicas(
  sentinelPort: number,
  replicas: readonly RedisProcess[],
): Promise<boolean> {
  const known = String(await ask(sentinelPort, 'sentinel', 'replicas', NAME));
  return replicas.every(({ port }) => known.includes(String(port)));
}
