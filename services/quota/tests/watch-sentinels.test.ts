import { createServer, type AddressInfo } from 'node:net';
import { useLeakCheck, useRedis, waitUntil } from '@sluice/testkit';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished, vi } from 'vitest';
import { watchSentinels } from '../src/redis/watch-sentinels.ts';

useLeakCheck();
/** It passes on what is published, as a sentinel does. */
const server = useRedis({ own: true });

it('a new master is told of, and not that of another group', async () => {
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
    what: 'somebody to listen',
  });
  await waitUntil(
    () => redis.publish('+failover-state-wait-promotion', 'slave a a 1 @ others b 2'),
    {
      what: 'somebody to listen to promotions',
    },
  );
  const promoted = 'slave 10.0.0.5:5 10.0.0.5 5 @ limits 10.0.0.3 3';
  await redis.publish('+failover-state-wait-promotion', promoted);
  await redis.publish('+switch-master', 'limits 10.0.0.3 3 10.0.0.4 4');
  await waitUntil(() => masters.length > 1, { what: 'the new masters' });
  expect(masters).toEqual(['10.0.0.3:3 10.0.0.5:5', '10.0.0.3:3 10.0.0.4:4']);
});

it('a sentinel that cannot be reached is tried again, without a word past the log', async () => {
  const complaint = vi.spyOn(console, 'error');
  onTestFinished(() => complaint.mockRestore());
  let attempts = 0;
  await using deaf = createServer((socket) => {
    attempts += 1;
    socket.resetAndDestroy();
  });
  const listening = Promise.withResolvers<void>();
  deaf.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  const { port } = deaf.address() as AddressInfo;
  using _watch = watchSentinels({
    sentinels: [{ host: '127.0.0.1', port }],
    name: 'limits',
    onNewMaster: () => undefined,
  });
  await waitUntil(() => attempts > 2, { what: 'three attempts' });
  expect(complaint).not.toHaveBeenCalled();
});
