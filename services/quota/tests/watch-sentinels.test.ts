import { createServer, type AddressInfo } from 'node:net';
import { cannotRun, useLeakCheck, useRedis, waitUntil } from '@sluice/devkit';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished, vi } from 'vitest';
import { watchSentinels, type MasterChange } from '../src/redis/watch-sentinels.ts';
import { ask, redisProgramMissing } from './support/redis-processes.ts';
import { startSentinelGroup } from './support/redis-sentinel.ts';

useLeakCheck();
/** Stands in for a sentinel, because Pub/Sub works the same. */
const server = useRedis({ own: true });

it('a new master is reported, but not one of another group', async () => {
  const { hostname: host, port } = new URL(server.url);
  const masters: string[] = [];
  using _watch = watchSentinels({
    sentinels: [{ host, port: Number(port) }],
    name: 'limits',
    onNewMaster: ({ from, to }) => masters.push(`${from.host}:${from.port} ${to.host}:${to.port}`),
  });
  const redis = new Redis(server.url);
  onTestFinished(() => redis.disconnect());
  await waitUntil(() => redis.publish('+switch-master', 'others 10.0.0.1 1 10.0.0.2 2'), {
    what: 'a subscriber',
  });
  await waitUntil(
    () => redis.publish('+failover-state-wait-promotion', 'slave a a 1 @ others b 2'),
    {
      what: 'a subscriber to promotions',
    },
  );
  const promoted = 'slave 10.0.0.5:5 10.0.0.5 5 @ limits 10.0.0.3 3';
  await redis.publish('+failover-state-wait-promotion', promoted);
  await redis.publish('+switch-master', 'limits 10.0.0.3 3 10.0.0.4 4');
  await waitUntil(() => masters.length > 1, { what: 'the new masters' });
  expect(masters).toEqual(['10.0.0.3:3 10.0.0.5:5', '10.0.0.3:3 10.0.0.4:4']);
});

it('an unreachable sentinel is tried again, without output on the console', async () => {
  const complaint = vi.spyOn(console, 'error');
  onTestFinished(() => complaint.mockRestore());
  let attempts = 0;
  await using refusing = createServer((socket) => {
    attempts += 1;
    socket.resetAndDestroy();
  });
  const listening = Promise.withResolvers<void>();
  refusing.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  const { port } = refusing.address() as AddressInfo;
  using _watch = watchSentinels({
    sentinels: [{ host: '127.0.0.1', port }],
    name: 'limits',
    onNewMaster: () => undefined,
  });
  await waitUntil(() => attempts > 2, { what: 'three attempts' });
  expect(complaint).not.toHaveBeenCalled();
});

const missing = redisProgramMissing();
it.skipIf(cannotRun('sentinels with rights', missing))(
  'a failover is received with permission for only one of the channels',
  async () => {
    await using group = await startSentinelGroup();
    const { master, replica, name } = group;
    // The first sentinel leads the failover, and the second learns of it.
    const channels = ['+failover-state-wait-promotion', '+switch-master'];
    const received = channels.map((): MasterChange[] => []);
    using watches = new DisposableStack();
    for (const [index, channel] of channels.entries()) {
      const { port } = group.sentinels[index] ?? master;
      await ask(port, 'acl', 'setuser', 'default', 'resetchannels', `&${channel}`);
      const onNewMaster = (change: MasterChange) => received[index]?.push(change);
      watches.use(watchSentinels({ sentinels: [{ host: '127.0.0.1', port }], name, onNewMaster }));
      await waitUntil(async () => String(await ask(port, 'client', 'list')).includes(' sub=1 '), {
        what: 'a subscription',
      });
    }
    await ask(group.sentinels[0]?.port ?? 0, 'sentinel', 'failover', name);
    await waitUntil(() => received.every((changes) => changes.length > 0), {
      what: 'both to hear of the new master',
      timeoutMs: 30_000,
    });
    const change = {
      from: { host: '127.0.0.1', port: master.port },
      to: { host: '127.0.0.1', port: replica.port },
    };
    expect(received).toEqual([[change], [change]]);
  },
);
