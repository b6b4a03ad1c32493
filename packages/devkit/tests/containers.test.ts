import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort, planNats, planRedis, startNats, startRedis } from '@sluice/servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cannotRun } from '../src/runner/not-run.ts';
import { waitUntil } from '../src/runner/wait-until.ts';
import { dockerOrReason } from '../src/servers/choose-backend.ts';
import { IMAGES } from '../src/servers/docker-servers.ts';
import { tell } from './tell.ts';

const docker = promisify(execFile);
const containers = await dockerOrReason();
const missing = typeof containers === 'string' ? containers : undefined;

test('the images are the ones that the bootstrap uses', async () => {
  const script = join(import.meta.dirname, '../../../deploy/bootstrap/servers.sh');
  const text = await readFile(script, 'utf8');
  expect(/^redis_image=(.*)$/m.exec(text)?.[1]).toBe(IMAGES.redis);
  expect(/^nats_image=(.*)$/m.exec(text)?.[1]).toBe(IMAGES.nats);
});

describe.skipIf(cannotRun('containers', missing))('in containers', () => {
  const backend = () => {
    if (typeof containers === 'string') throw new Error(containers);
    return containers;
  };

  test('Redis is killed and comes back at its address with its data', async () => {
    await using redis = await backend().startRedis();
    expect(await tell(redis.url, 'SET kept yes\r\n')).toContain('+OK');
    await redis.kill();
    await expect(tell(redis.url, 'PING\r\n')).rejects.toThrow(/ECONNREFUSED|closed|no answer/);
    await redis.restart();
    expect(await tell(redis.url, 'GET kept\r\n')).toBe('$3\r\nyes\r\n');
  });

  test('NATS is frozen and answers again', async () => {
    await using nats = await backend().startNats();
    expect(await tell(nats.url, '')).toMatch(/^INFO .*"jetstream":true/);
    await nats.pause();
    await expect(tell(nats.url, '')).rejects.toThrow('no answer');
    await nats.resume();
    const greeting = await waitUntil(() => tell(nats.url, ''), { what: 'its greeting' });
    expect(greeting).toMatch(/^INFO /);
  });

  test.each([
    ['redis', startRedis, planRedis],
    ['nats', startNats, planNats],
  ] as const)(
    '%s as the stack runs it is started and gone when stopped',
    async (kind, start, plan) => {
      const folder = await mkdtemp(join(tmpdir(), 'sluice container '));
      onTestFinished(async () => rm(folder, { recursive: true, force: true }));
      const dataFolder = join(folder, 'data');
      const program = { kind: 'docker', image: IMAGES[kind] } as const;
      const port = await findFreePort();
      const [, , , name = ''] = plan({ program, dataFolder, port }).killCommand ?? [];
      {
        await using server = await start({
          program,
          dataFolder,
          port,
          logFile: join(folder, 'log'),
          readyTimeoutMs: 60_000,
        });
        expect(server.url).toBe(`${kind}://127.0.0.1:${port}`);
        expect((await docker('docker', ['ps', '--format={{.Names}}'])).stdout).toContain(name);
      }
      const { stdout: left } = await docker('docker', ['ps', '--all', '--format={{.Names}}']);
      expect(left).not.toContain(name);
    },
  );
});
