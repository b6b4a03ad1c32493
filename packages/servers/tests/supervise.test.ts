import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useLeakCheck, waitUntil } from '@sluice/testkit';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { launch } from '../src/stack/launch.ts';
import { openLogFile } from '../src/stack/log-file.ts';
import { identify } from '../src/stack/process-identity.ts';
import { StartFailure, supervise, type Death, type Supervised } from '../src/stack/supervise.ts';

useLeakCheck();

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-supervise-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

interface Watched {
  readonly supervised: Supervised;
  readonly deaths: Death[];
  /** How long each was said to be waited after. */
  readonly delays: number[];
  readonly readyTimes: number[];
}

/** Supervises a script in a real process; it is ready when it has written its file. */
function watch(
  script: string,
  { graceMs = 5_000, tether = false, program = () => process.execPath } = {},
): Watched {
  const log = openLogFile(folder, 'program');
  const readyFile = join(folder, 'ready');
  const deaths: Death[] = [];
  const delays: number[] = [];
  const readyTimes: number[] = [];
  const supervised = supervise(
    {
      name: 'program',
      log,
      graceMs,
      stopSignal: 'SIGTERM',
      launch: async () => {
        await rm(readyFile, { force: true });
        return launch({
          program: program(),
          parameters: ['--eval', script],
          environment: { ...process.env, READY_FILE: readyFile },
          log: log.descriptor,
          tether,
        });
      },
      isReady: async () =>
        readFile(readyFile).then(
          () => true,
          () => false,
        ),
    },
    {
      onReady: (restarts) => readyTimes.push(restarts),
      onDeath: (ending, delayMs) => {
        deaths.push(ending);
        delays.push(delayMs);
      },
      onChange: () => undefined,
    },
  );
  onTestFinished(async () => supervised.stop());
  return { supervised, deaths, delays, readyTimes };
}

const READY = "require('node:fs').writeFileSync(process.env.READY_FILE, '');";
const STAY = 'setInterval(() => {}, 1000);';

test('a process that dies is started again, and its death is told', async () => {
  const { supervised, deaths, readyTimes } = watch(READY + STAY);
  await supervised.firstReady;
  const before = supervised.process;
  process.kill(before?.pid ?? 0, 'SIGKILL');
  await waitUntil(() => readyTimes.length === 2, { what: 'the second start' });
  expect(deaths).toEqual([{ code: null, signal: 'SIGKILL' }]);
  expect(readyTimes).toEqual([0, 1]);
  expect(supervised.process?.pid).not.toBe(before?.pid);
  expect(supervised.restarts).toBe(1);
});

test('a process that never starts is given up at the third time, with its last words', async () => {
  const { supervised, delays } = watch("console.error('no disk left'); process.exit(1);");
  const failure: unknown = await supervised.firstReady.catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StartFailure);
  expect(failure).toMatchObject({
    message: 'program does not start (exit code 1)',
    lastLines: ['no disk left'],
  });
  expect(delays).toEqual([100, 200]);
});

test('a start that the system refuses is told and tried again', async () => {
  let refusals = 0;
  const { supervised, deaths, readyTimes } = watch(READY + STAY, {
    program: () => {
      if (readyTimes.length === 0 || refusals === 2) return process.execPath;
      refusals += 1;
      return join(folder, 'no-such-program');
    },
  });
  await supervised.firstReady;
  process.kill(supervised.process?.pid ?? 0, 'SIGKILL');
  await waitUntil(() => readyTimes.length === 2, { what: 'the start after the refusals' });
  expect(deaths).toEqual([
    { code: null, signal: 'SIGKILL' },
    { notStarted: 'ENOENT' },
    { notStarted: 'ENOENT' },
  ]);
  expect(readyTimes).toEqual([0, 3]);
});

test('a program that is not there is given up, with the reason', async () => {
  const { supervised } = watch('', { program: () => join(folder, 'no-such-program') });
  await expect(supervised.firstReady).rejects.toThrow(
    new StartFailure('program', 'does not start (could not be started: ENOENT)', []),
  );
});

test('wrong settings are not tried again', async () => {
  const { supervised, deaths } = watch("console.error('PORT: must be a number'); process.exit(2);");
  await expect(supervised.firstReady).rejects.toThrow('program does not start (exit code 2)');
  expect(deaths).toEqual([]);
});

test('stopping asks first, and does not start it again', async () => {
  const { supervised, deaths } = watch(
    `${READY}${STAY}process.on('SIGTERM', () => { console.log('good night'); process.exit(0); });`,
  );
  await supervised.firstReady;
  const pid = supervised.process?.pid ?? 0;
  await supervised.stop();
  expect(identify(pid)).toBeUndefined();
  expect(deaths).toEqual([]);
  expect(await readFile(join(folder, 'program.log'), 'utf8')).toBe('good night\n');
});

test('a process that does not listen is ended all the same, with what it started', async () => {
  const child = join(folder, 'child');
  const { supervised } = watch(
    `process.on('SIGTERM', () => {});
     const child = require('node:child_process').spawn(process.execPath, ['--eval', '${STAY}']);
     require('node:fs').writeFileSync(${JSON.stringify(child)}, String(child.pid));
     ${READY}${STAY}`,
    { graceMs: 100 },
  );
  await supervised.firstReady;
  const pids = [supervised.process?.pid ?? 0, Number(await readFile(child, 'utf8'))];
  await supervised.stop();
  await waitUntil(() => pids.every((pid) => identify(pid) === undefined), { what: 'both to end' });
  expect(pids.map(identify)).toEqual([undefined, undefined]);
});

test('a tethered process is told when its supervisor is gone', async () => {
  const marker = join(folder, 'told');
  const supervisor = join(folder, 'supervisor.mts');
  const program = `process.once('disconnect', () => {
    require('node:fs').writeFileSync(${JSON.stringify(marker)}, String(process.pid)); process.exit(0);
  }); require('node:fs').writeFileSync(${JSON.stringify(join(folder, 'ready'))}, '');`;
  await writeFile(
    supervisor,
    `import { launch } from ${JSON.stringify(join(import.meta.dirname, '../src/stack/launch.ts'))};
     await launch({ program: process.execPath, parameters: ['--eval', ${JSON.stringify(program)}],
       environment: process.env, log: 2, tether: true });`,
  );
  const watcher = await launch({
    program: process.execPath,
    parameters: [supervisor],
    environment: process.env,
    log: 2,
    tether: false,
  });
  await waitUntil(() => readFile(join(folder, 'ready')).then(() => true), { what: 'the program' });
  process.kill(watcher.process.pid, 'SIGKILL');
  const pid = await waitUntil(() => readFile(marker, 'utf8'), { what: 'the program to notice' });
  await waitUntil(() => identify(Number(pid)) === undefined, { what: 'the program to end' });
  expect(identify(Number(pid))).toBeUndefined();
});
