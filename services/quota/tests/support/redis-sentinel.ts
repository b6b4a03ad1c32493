import { waitUntil } from '@sluice/testkit';
import { ask, startRedisProcess, type RedisProcess } from './redis-processes.ts';

export interface SentinelGroup extends AsyncDisposable {
  readonly name: string;
  readonly master: RedisProcess;
  readonly replica: RedisProcess;
  readonly sentinels: readonly RedisProcess[];
  /** The port that the sentinels hold for the master's. */
  masterPort(): Promise<number>;
}

const NAME = 'limits';

/** A real master with a replica, watched by three real sentinels. */
export async function startSentinelGroup(): Promise<SentinelGroup> {
  await using started = new AsyncDisposableStack();
  const master = started.use(await startRedisProcess());
  const replica = started.use(
    await startRedisProcess({ settings: [`replicaof 127.0.0.1 ${master.port}`] }),
  );
  await waitUntil(
    async () => String(await ask(replica.port, 'info', 'replication')).includes('link_status:up'),
    { what: 'the replica to follow its master' },
  );
  const sentinels: RedisProcess[] = [];
  for (let count = 0; count < 3; count += 1) {
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
        String(await ask(port, 'sentinel', 'replicas', NAME)).includes(String(replica.port)),
      { what: 'the sentinels to know each other and the replica', timeoutMs: 30_000 },
    );
  }
  const owned = started.move();
  return {
    name: NAME,
    master,
    replica,
    sentinels,
    masterPort: async () => {
      const reply = await ask(sentinels[0]?.port ?? 0, 'sentinel', 'get-master-addr-by-name', NAME);
      return Number(Array.isArray(reply) ? reply[1] : 0);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
