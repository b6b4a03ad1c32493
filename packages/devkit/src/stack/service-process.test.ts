import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { waitUntil } from '../runner/wait-until.ts';
import { ServiceProcess } from './service-process.ts';

const root = join(import.meta.dirname, '../../../..');
let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-service-process-'));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

test('credentials in the environment do not reach a process, unless they are among its settings', async () => {
  const script = join(folder, 'service.mjs');
  await writeFile(
    script,
    `const { NATS_CA_FILE, REDIS_PASSWORD, KEPT } = process.env;
     console.log(JSON.stringify({ NATS_CA_FILE, REDIS_PASSWORD, KEPT }));
     setInterval(() => undefined, 1_000);`,
  );
  vi.stubEnv('NATS_CA_FILE', '/of/somebody');
  vi.stubEnv('REDIS_PASSWORD', 'of-somebody');
  vi.stubEnv('KEPT', 'yes');
  await using service = await ServiceProcess.start({
    name: 'printer',
    entry: relative(root, script),
    settings: { REDIS_PASSWORD: 'of-the-test' },
    readyUrl: 'data:,ready',
  });
  const line = await waitUntil(() => /^\{.*\}$/m.exec(service.lastLines())?.[0], {
    what: 'its environment',
  });
  expect(JSON.parse(line)).toEqual({ REDIS_PASSWORD: 'of-the-test', KEPT: 'yes' });
});
