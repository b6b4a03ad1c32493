import { useLeakCheck } from '@sluice/devkit';
import { describe, expect, test, vi } from 'vitest';
import { stopServing } from '../src/edge/stop-serving.ts';
import { MODEL } from './fake-catalog.ts';
import { InMemoryGateway } from './in-memory-gateway.ts';

useLeakCheck();

const withoutWorkers = (wakeTimeout: number) => ({
  workers: {},
  models: [{ ...MODEL, wake_timeout: wakeTimeout }],
});

describe.each([
  ['a streamed request', true],
  ['a request that is not streamed', false],
])('%s of a pool without workers', (_, stream) => {
  test('is refused with 503 and Retry-After when its wake timeout is over', async () => {
    await using gateway = await InMemoryGateway.start(withoutWorkers(1));
    const begun = performance.now();
    const reply = await gateway.complete({ stream });
    expect(performance.now() - begun).toBeGreaterThan(990);
    expect(reply.status).toBe(503);
    expect(reply.headers.get('retry-after')).toBe('1');
    expect(reply.headers.get('x-ratelimit-limit-requests')).not.toBeNull();
    expect(await reply.json()).toEqual({
      error: {
        message:
          'Inference capacity is temporarily unavailable. Please retry after the indicated delay.',
        type: 'api_error',
        param: null,
        code: 'infrastructure_rate_limit_exceeded',
      },
    });
    expect(gateway.outcomes).toMatchObject([
      { outcome: 'failed', code: 'infrastructure_rate_limit_exceeded', attempts: 0, usage: null },
    ]);
  });

  test('holds nothing once its client has left', async () => {
    await using gateway = await InMemoryGateway.start(withoutWorkers(60));
    const client = new AbortController();
    const reply = gateway.complete({ stream }, { signal: client.signal }).catch(() => 'left');
    await vi.waitFor(() => expect(gateway.wakes.size).toBe(1));
    client.abort();
    expect(await reply).toBe('left');
    await vi.waitFor(() =>
      expect([gateway.wakes.size, gateway.dispatcher.running]).toEqual([0, 0]),
    );
    await vi.waitFor(() => expect(gateway.outcomes).toMatchObject([{ outcome: 'cancelled' }]));
  });
});

test('a gateway that stops refuses the requests that still wait', async () => {
  await using gateway = await InMemoryGateway.start(withoutWorkers(60));
  const reply = gateway.complete();
  await vi.waitFor(() => expect(gateway.wakes.size).toBe(1));
  const stopping = stopServing(gateway.app, gateway.drain, { announceMs: 0, limitMs: 0 });
  const { status, headers } = await reply;
  expect([status, headers.get('retry-after')]).toEqual([503, '1']);
  await stopping;
});
