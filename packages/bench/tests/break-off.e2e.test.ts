import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RUN_MARK, processesOfRun, useLeakCheck, waitUntil } from '@sluice/devkit';
import { expect, onTestFinished, test } from 'vitest';

useLeakCheck();

const main = join(import.meta.dirname, '../src/main.ts');

/** Runs the bench until it writes output, and then sends the two interrupts that one Ctrl-C causes under npm. */
async function breakOff(parameters: readonly string[], saying: string) {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-broken-off-'));
  const child = spawn(process.execPath, [main, ...parameters], {
    // Addresses without a server: the bench must start its own servers.
    env: {
      ...process.env,
      TMPDIR: folder,
      [RUN_MARK]: folder,
      REDIS_URL: 'redis://127.0.0.1:9',
      NATS_URL: 'nats://127.0.0.1:9',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const pid = child.pid ?? 0;
  const { promise: ended, resolve } = Promise.withResolvers<number | null>();
  child.once('close', resolve);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    for (const line of processesOfRun(folder)) {
      process.kill(Number(line.split(' ', 1)[0]), 'SIGKILL');
    }
    await rm(folder, { recursive: true, force: true });
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  await waitUntil(
    () => {
      if (child.exitCode !== null) throw new Error(`it ended before: ${said}`);
      return said.includes(saying);
    },
    { what: `the bench to say '${saying}'`, timeoutMs: 40_000 },
  );
  const before = said;
  process.kill(-pid, 'SIGINT');
  process.kill(pid, 'SIGINT');
  const code = await ended;
  return {
    code,
    said: said.slice(before.length),
    left: { folders: await readdir(folder), processes: processesOfRun(folder) },
  };
}

const NOTHING = { folders: [], processes: [] };
const QUICK = ['--quick', '--contestant=sluice', '--only=requests'];

test.each([
  ['while its stack starts', QUICK, 'starting sluice'],
  ['while it loads its stack', QUICK, 'warming up sluice'],
  ['while its server starts', ['quota'], 'starting Redis'],
])('Ctrl-C %s ends all processes and is reported once', async (_when, parameters, saying) => {
  expect(await breakOff(parameters, saying)).toEqual({
    code: 130,
    said: 'bench: stopping …\n',
    left: NOTHING,
  });
});
