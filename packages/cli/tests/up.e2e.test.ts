import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { useLeakCheck, useStack } from '@sluice/devkit';
import { describe, expect, test } from 'vitest';
import { stateFolderAt } from '../src/stack/state-folder.ts';
import { sluice, watchSluice } from './run-sluice.ts';

useLeakCheck({ timeoutMs: 10_000 });

const stack = useStack({ gateways: 2, workers: 2 });

async function complete(baseUrl = stack().baseUrl): Promise<Response> {
  return fetch(`${baseUrl}/compat/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stack().apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: stack().models[0],
      messages: [{ role: 'user', content: 'Hello' }],
      max_completion_tokens: 16,
    }),
  });
}

test('every replica is a process with its own address', async () => {
  const services = await stack().services();
  const names = services.map(({ name }) => name).toSorted();
  expect(names.join(' ')).toBe(
    'catalog gateway gateway-2 nats quota redis simulator simulator-2 worker worker-2',
  );
  expect(new Set(services.map(({ pid }) => pid)).size).toBe(services.length);
  expect(new Set(services.map(({ url }) => url)).size).toBe(services.length);
});

test('every gateway answers a completion with the printed key', async () => {
  for (const name of ['gateway', 'gateway-2']) {
    const response = await complete((await stack().service(name)).url);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ object: 'chat.completion' });
  }
});

test('the demo organization has its generous limits', async () => {
  const response = await complete();
  expect(response.headers.get('x-ratelimit-limit-requests')).toBe('100000');
  expect(response.headers.get('x-ratelimit-limit-tokens')).toBe('100000000');
});

describe('the status command', () => {
  test('shows every process as ready', async () => {
    const { code, stdout } = await sluice(['status', '--state', stack().state]);
    expect(stdout).toContain(stack().apiRoot);
    for (const { name, pid } of await stack().services()) {
      expect(stdout).toMatch(new RegExp(`^${name} +ready +${String(pid)} +0 `, 'm'));
    }
    expect(code).toBe(0);
  });

  test('has the same content as JSON, without any key', async () => {
    const { code, stdout } = await sluice(['status', '--json', '--state', stack().state]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ api_root: stack().apiRoot });
    expect(stdout).not.toContain(stack().apiKey);
  });

  test.each(['redis', 'nats'])('shows that a paused %s is not ready', async (name) => {
    await stack().kill(name, 'SIGSTOP');
    const { code, stdout } = await sluice(['status', '--state', stack().state]);
    await stack().kill(name, 'SIGCONT');
    expect(stdout).toMatch(new RegExp(`^${name} +not ready `, 'm'));
    expect(code).toBe(1);
  });

  test('names the folder if no stack runs there', async () => {
    const { code, stderr } = await sluice(['status', '--state', join(stack().state, 'nowhere')]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^sluice status: no stack is running from .*nowhere; start one with/);
  });
});

describe('the logs command', () => {
  const place = () => ['--state', stack().state];

  test('shows the lines of all replicas of a service in the order of time', async () => {
    const { code, stdout } = await sluice(['logs', 'gateway', ...place()]);
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    const names = new Set(lines.map((line) => line.split(/ +/)[1]));
    expect(names).toEqual(new Set(['gateway', 'gateway-2']));
    const times = lines.map((line) => line.split(' ', 1)[0] ?? '');
    expect(times).toEqual(times.toSorted());
  });

  test('shows new lines as they are written, without content, until Ctrl-C', async () => {
    const watched = watchSluice(['logs', '--follow', '--lines', '0', ...place()]);
    const response = await complete();
    await watched.until(response.headers.get('x-request-id') ?? '');
    watched.interrupt();
    expect(await watched.ended).toBe(0);
    expect(watched.said.output).not.toContain('Hello');
  });

  test('shows severe lines only, as the services wrote them', async () => {
    const { stdout } = await sluice(['logs', '--level', 'error', '--json', ...place()]);
    expect(stdout).not.toMatch(/"level":"(?:info|warn)"/);
  });

  test('refuses a service that does not run, and names a similar one', async () => {
    const { code, stderr } = await sluice(['logs', 'gatway', ...place()]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/the stack runs no 'gatway'.*gateway/);
  });
});

test('only the file of the demo key holds the key, and only its owner can read it', async () => {
  const { demoKeyFile } = stateFolderAt(stack().state);
  const { stdout } = await promisify(execFile)('grep', ['-rlF', stack().apiKey, stack().state]);
  expect(stdout).toBe(`${demoKeyFile}\n`);
  expect((await stat(demoKeyFile)).mode & 0o777).toBe(0o600);
});

describe('a killed process comes back and the next request works', () => {
  test.each(['gateway', 'worker', 'worker-2', 'quota', 'catalog', 'simulator', 'nats', 'redis'])(
    '%s',
    async (name) => {
      const before = await stack().service(name);
      await stack().kill(name, 'SIGKILL');
      const after = await stack().restarted(before);
      expect(after.url).toBe(before.url);
      expect(after.restarts).toBe(before.restarts + 1);
      expect((await complete()).status).toBe(200);
    },
  );
});
