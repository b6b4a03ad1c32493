import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cannotRun, useLeakCheck, waitUntil } from '@sluice/devkit';
import { identify } from '@sluice/servers';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRunningStack } from '../src/stack/running-stack.ts';
import { stateFolderAt } from '../src/stack/state-folder.ts';
import { runNpmStart, runSluice, sluice, WITHOUT, type SluiceRun } from './run-sluice.ts';

useLeakCheck({ timeoutMs: 10_000 });

let state = '';
const ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), 'sluice-first-'));
});

afterAll(async () => {
  for (const end of ends.toReversed()) await end();
  // Last, because the processes write there until they have ended.
  await rm(state, { recursive: true, force: true });
});

/** Starts a stack that later tests use too. */
async function start(
  options: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<SluiceRun> {
  const parameters = ['up', '--port', '0', '--state', state, ...WITHOUT, ...options];
  const run = runSluice(parameters, environment, (end) => ends.push(end));
  await run.ready();
  return run;
}

/** The part of the output from one text up to the blank line after another text. */
function printed(run: SluiceRun, from: string, to: string): string {
  const text = run.stdout();
  const start = text.indexOf(from);
  const end = text.indexOf('\n\n', text.indexOf(to, start));
  expect(start).toBeGreaterThan(0);
  return text.slice(start, end);
}

/** The process ids, with Redis and NATS first. */
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

/** Settings of other servers, which must not reach a stack that starts its own. */
const FOREIGN = {
  NATS_CA_FILE: '/no/such/file',
  NATS_CREDS_FILE: '/no/such/file',
  REDIS_CA_FILE: '/no/such/file',
  REDIS_MODE: 'cluster',
  GRPC_TLS: 'true',
  GRPC_CA_FILE: '/no/such/file',
};

async function models(run: SluiceRun, key: string): Promise<number> {
  const response = await fetch(`${apiRootOf(run)}/models`, {
    headers: { authorization: `Bearer ${key}` },
  });
  await response.body?.cancel();
  return response.status;
}

async function expectNothingLeft(run: SluiceRun, end: () => void): Promise<void> {
  const pids = await servicePids();
  expect(pids).toHaveLength(7);
  end();
  expect(await run.ended).toBe(0);
  expect(pids.map(identify)).toEqual(pids.map(() => undefined));
  expect(run.descendants()).toEqual([]);
}

const curlMissing =
  spawnSync('curl', ['--version']).error === undefined ? undefined : 'no curl on this machine';

// Each test uses the stack and the data of the previous test.
describe('a stack that is started for the first time, and again', () => {
  let first: SluiceRun;
  let key = '';

  beforeAll(async () => {
    first = await start([], FOREIGN);
    key = keyOf(first);
  });

  test.skipIf(cannotRun('the printed curl', curlMissing))(
    'the printed curl gets an answer',
    async () => {
      const curl = printed(first, 'curl http', '-d ');
      const { stdout: answer } = await promisify(execFile)('sh', ['-c', curl]);
      expect(JSON.parse(answer)).toMatchObject({ object: 'chat.completion' });
    },
  );

  test('the printed snippet works with the OpenAI SDK', async () => {
    const module = printed(first, 'import OpenAI from', 'process.stdout.write');
    // The `openai` package is resolved from this folder, where it is installed.
    const pasted = spawnSync(process.execPath, ['--input-type=module'], {
      cwd: import.meta.dirname,
      input: module,
      encoding: 'utf8',
    });
    expect(pasted.stderr).toBe('');
    expect(pasted.stdout.length).toBeGreaterThan(20);

    const client = new OpenAI({ baseURL: apiRootOf(first), apiKey: key });
    const shown = /Models +(.+)/.exec(first.stdout())?.[1];
    const { data } = await client.models.list();
    expect(data.map(({ id }) => id).join(', ')).toBe(shown);
  });

  test('settings of other servers do not reach it', async () => {
    for (const command of ['fleet', 'models']) {
      expect(await sluice([command, '--state', state], FOREIGN)).toMatchObject({ code: 0 });
    }
  });

  test('SIGTERM leaves nothing behind', async () => {
    await expectNothingLeft(first, () => first.signalAlone('SIGTERM'));
  });

  test('keys and data survive a restart, and a kill of the command', async () => {
    const killed = await start();
    expect(keyOf(killed)).toBe(key);
    expect(await models(killed, key)).toBe(200);
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
    expect(await models(next, keyOf(killed))).toBe(200);
    // As a terminal does on Ctrl-C.
    await expectNothingLeft(next, () => next.signal('SIGINT'));
  });

  test('a fresh start deletes keys and data, and SIGHUP leaves no process behind', async () => {
    const fresh = await start(['--fresh']);
    expect(await models(fresh, key)).toBe(401);
    await expectNothingLeft(fresh, () => fresh.signalAlone('SIGHUP'));
  });

  test('a signal in the middle of the start leaves nothing behind', async () => {
    const run = runSluice(['up', '--port', '0', '--state', state, ...WITHOUT]);
    await waitUntil(() => run.stdout().includes('nats is ready'), { what: 'the first processes' });
    run.signal('SIGINT');
    expect(await run.ended).toBe(0);
    expect(run.descendants()).toEqual([]);
  });

  test('if npm runs the command and gets a signal, no process is left', async () => {
    const run = runNpmStart(['--port', '0', '--state', state]);
    await run.ready();
    const pids = await waitUntil(
      async () => {
        const found = await servicePids();
        return found.length === 9 ? found : undefined;
      },
      { what: 'usage and the console to start after the others', timeoutMs: 60_000 },
    );
    run.signalAlone('SIGTERM');
    await run.ended;
    await waitUntil(() => pids.every((pid) => identify(pid) === undefined), {
      what: 'the services to end',
      timeoutMs: 20_000,
    });
    expect(run.descendants()).toEqual([]);
  });
});
