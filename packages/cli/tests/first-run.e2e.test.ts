import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cannotRun, useLeakCheck, waitUntil } from '@sluice/testkit';
import OpenAI from 'openai';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { identify } from '../src/stack/process-identity.ts';
import { readRunningStack } from '../src/stack/running-stack.ts';
import { stateFolderAt } from '../src/stack/state-folder.ts';
import { runNpmStart, runSluice, type SluiceRun } from './run-sluice.ts';

useLeakCheck({ timeoutMs: 10_000 });

let state = '';

beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), 'sluice-first-'));
  // Last of all: what a test started still writes there until it has ended.
  onTestFinished(() => rm(state, { recursive: true, force: true }));
});

async function start(): Promise<SluiceRun> {
  const run = runSluice(['up', '--port', '0', '--state', state]);
  await run.ready();
  return run;
}

/** The part of what was printed from one text up to the blank line after another. */
function printed(run: SluiceRun, from: string, to: string): string {
  const text = run.stdout();
  const start = text.indexOf(from);
  const end = text.indexOf('\n\n', text.indexOf(to, start));
  expect(start).toBeGreaterThan(0);
  return text.slice(start, end);
}

/** Redis and NATS first. */
async function servicePids(): Promise<number[]> {
  const stack = await readRunningStack(stateFolderAt(state).runningFile);
  return (stack?.services ?? []).flatMap(({ process: identity }) => identity?.pid ?? []);
}

function keyOf(run: SluiceRun): string {
  return /API key +(sk-\w+)/.exec(run.stdout())?.[1] ?? '';
}

function apiRootOf(run: SluiceRun): string {
  return /Base address +(\S+)/.exec(run.stdout())?.[1] ?? '';
}

const curlMissing =
  spawnSync('curl', ['--version']).error === undefined ? undefined : 'no curl on this machine';

test.skipIf(cannotRun('the printed curl', curlMissing))(
  'the printed curl streams an answer',
  async () => {
    const run = await start();
    const curl = printed(run, 'curl -N', '-d ');
    const { stdout: streamed } = await promisify(execFile)('sh', ['-c', curl]);
    expect(streamed).toMatch(/^data: \{.*"delta":\{"role":"assistant"\}/);
    expect(streamed.match(/"content":"/g)?.length).toBeGreaterThan(1);
    expect(streamed.trimEnd()).toMatch(/data: \[DONE\]$/);
  },
);

test('the printed snippet works with the OpenAI SDK', async () => {
  const run = await start();

  const module = printed(run, 'import OpenAI', 'process.stdout.write');
  // The package is found from here, where it is installed.
  const pasted = spawnSync(process.execPath, ['--input-type=module'], {
    cwd: import.meta.dirname,
    input: module,
    encoding: 'utf8',
  });
  expect(pasted.stderr).toBe('');
  expect(pasted.stdout.length).toBeGreaterThan(20);

  const client = new OpenAI({ baseURL: apiRootOf(run), apiKey: keyOf(run) });
  const shown = /Models +(.+)/.exec(run.stdout())?.[1];
  const { data: models } = await client.models.list();
  expect(models.map(({ id }) => id).join(', ')).toBe(shown);
});

describe('nothing is left behind', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('after %s', async (signal) => {
    const run = await start();
    const pids = await servicePids();
    expect(pids).toHaveLength(7);
    if (signal === 'SIGINT') run.signal(signal);
    else run.signalAlone(signal);
    expect(await run.ended).toBe(0);
    expect(pids.map(identify)).toEqual(pids.map(() => undefined));
    expect(run.descendants()).toEqual([]);
  });

  test('after npm, which runs the command, is told to end', async () => {
    const run = runNpmStart(['--port', '0', '--state', state]);
    await run.ready();
    const pids = await servicePids();
    expect(pids).toHaveLength(7);
    run.signalAlone('SIGTERM');
    await run.ended;
    await waitUntil(() => pids.every((pid) => identify(pid) === undefined), {
      what: 'the services to end',
      timeoutMs: 20_000,
    });
    expect(run.descendants()).toEqual([]);
  });

  test('after a signal in the middle of the start', async () => {
    const run = runSluice(['up', '--port', '0', '--state', state]);
    await waitUntil(() => run.stdout().includes('nats is ready'), { what: 'the first processes' });
    run.signal('SIGINT');
    expect(await run.ended).toBe(0);
    expect(run.descendants()).toEqual([]);
  });

  test('when the command itself is killed: services end with it, the next start ends the rest', async () => {
    const killed = await start();
    const [redis = 0, nats = 0, ...services] = await servicePids();
    killed.signalAlone('SIGKILL');
    await killed.ended;
    await waitUntil(() => services.every((pid) => identify(pid) === undefined), {
      what: 'the services to end',
      timeoutMs: 20_000,
    });
    expect([redis, nats].map(identify)).not.toContain(undefined);

    const next = await start();
    expect([redis, nats].map(identify)).toEqual([undefined, undefined]);
    const response = await fetch(`${apiRootOf(next)}/models`, {
      headers: { authorization: `Bearer ${keyOf(killed)}` },
    });
    expect(response.status).toBe(200);
  });
});

test('keys and data outlive a restart, and a fresh start forgets them', async () => {
  const first = await start();
  const key = keyOf(first);
  first.signal('SIGINT');
  await first.ended;

  const second = await start();
  expect(keyOf(second)).not.toBe(key);
  const models = async (run: SluiceRun) =>
    fetch(`${apiRootOf(run)}/models`, { headers: { authorization: `Bearer ${key}` } });
  expect((await models(second)).status).toBe(200);
  second.signal('SIGINT');
  await second.ended;

  const fresh = runSluice(['up', '--fresh', '--port', '0', '--state', state]);
  await fresh.ready();
  expect((await models(fresh)).status).toBe(401);
});
