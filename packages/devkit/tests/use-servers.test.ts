import { describe, expect, test } from 'vitest';
import { useLeakCheck } from '../src/leaks/leak-check.ts';
import { waitUntil } from '../src/runner/wait-until.ts';
import { useNats, useRedis } from '../src/servers/use-servers.ts';
import { tell } from './tell.ts';

useLeakCheck();

describe('servers shared by every file', () => {
  const redis = useRedis();
  const nats = useNats();

  test('answer in their own protocols', async () => {
    expect(await tell(redis.url, 'PING\r\n')).toContain('+PONG');
    const greeting = await tell(nats.url, '');
    expect(greeting).toMatch(/^INFO /);
    expect(JSON.parse(greeting.slice('INFO '.length))).toMatchObject({
      jetstream: true,
      max_payload: 8_388_608,
    });
  });

  test('have different names', () => {
    expect(redis.namespace).toMatch(/^test[0-9a-f]{12}$/);
    expect(nats.namespace).not.toBe(redis.namespace);
  });
});

describe('a separate Redis', () => {
  const redis = useRedis({ own: true });

  test('keeps its address and its data when it is killed and started again', async () => {
    const { url } = redis;
    expect(await tell(url, 'SET kept yes\r\n')).toContain('+OK');
    await redis.kill();
    await expect(tell(url, 'PING\r\n')).rejects.toThrow('ECONNREFUSED');
    await redis.restart();
    expect(redis.url).toBe(url);
    expect(await tell(url, 'GET kept\r\n')).toBe('$3\r\nyes\r\n');
  });

  test('can be terminated and restarted', async () => {
    await redis.terminate();
    await expect(tell(redis.url, 'PING\r\n')).rejects.toThrow('ECONNREFUSED');
    await redis.restart();
    expect(await tell(redis.url, 'GET kept\r\n')).toBe('$3\r\nyes\r\n');
  });

  test('does not answer while it is paused', async () => {
    await redis.pause();
    await expect(tell(redis.url, 'PING\r\n')).rejects.toThrow('no answer');
    await redis.resume();
    const answer = await waitUntil(() => tell(redis.url, 'PING\r\n'), { what: 'an answer' });
    expect(answer).toContain('+PONG');
  });
});
