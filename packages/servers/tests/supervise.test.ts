import { symlinkSync, unlinkSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { ChildProgram } from '../src/child-program.ts';
import { openLogFile } from '../src/log-file.ts';
import { identify } from '../src/process-identity.ts';
import { StartFailure } from '../src/start-failure.ts';
import { supervise, type Death, type Supervised } from '../src/supervise.ts';

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
  /** The delay that was announced after each death. */
  readonly delays: number[];
  readonly readyTimes: number[];
}

/** Supervises a script in a real process. It is ready when its output contains "ready". */
function watch(
  script: string,
  { graceMs = 5_000, program = process.execPath, onDeath = (_count: number) => {} } = {},
): Watched {
  const deaths: Death[] = [];
  const delays: number[] = [];
  const readyTimes: number[] = [];
  const supervised = supervise(
    {
      name: 'program',
      program,
      parameters: ['--eval', script],
      log: openLogFile(join(folder, 'program.log')),
      graceMs,
      isReady: async ({ output }) => output().includes('ready'),
    },
    {
      onReady: (restarts) => readyTimes.push(restarts),
      onDeath: (ending, delayMs) => {
        deaths.push(ending);
        delays.push(delayMs);
        onDeath(deaths.length);
      },
      onChange: () => undefined,
    },
  );
  onTestFinished(async () => supervised.stop());
  return { supervised, deaths, delays, readyTimes };
}

const WAIT = { timeout: 10_000, interval: 20 };
const READY = "console.log('ready');";
const STAY = 'setInterval(() => {}, 1000);';

test('a process that dies is started again, and its end is reported', async () => {
  const { supervised, deaths, readyTimes } = watch(READY + STAY);
  await supervised.firstReady;
  const before = supervised.process;
  process.kill(before?.pid ?? 0, 'SIGKILL');
  await vi.waitFor(() => expect(readyTimes).toEqual([0, 1]), WAIT);
  expect(deaths).toEqual([{ code: null, signal: 'SIGKILL' }]);
  expect(readyTimes).toEqual([0, 1]);
  expect(supervised.process?.pid).not.toBe(before?.pid);
  expect(supervised.restarts).toBe(1);
});

test('after three failed starts, supervision ends with the last output', async () => {
  const { supervised, delays } = watch("console.error('no disk left'); process.exit(1);");
  const failure: unknown = await supervised.firstReady.catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StartFailure);
  expect(failure).toMatchObject({
    summary: 'program does not start (exit code 1)',
    lastLines: ['no disk left'],
  });
  expect(delays).toEqual([100, 200]);
});

test('a start that the system refuses is reported and tried again', async () => {
  const program = join(folder, 'program');
  await symlink(process.execPath, program);
  const { supervised, deaths, readyTimes } = watch(READY + STAY, {
    program,
    onDeath: (count) => {
      if (count === 1) unlinkSync(program);
      if (count === 3) symlinkSync(process.execPath, program);
    },
  });
  await supervised.firstReady;
  process.kill(supervised.process?.pid ?? 0, 'SIGKILL');
  await vi.waitFor(() => expect(readyTimes).toHaveLength(2), WAIT);
  expect(deaths).toEqual([
    { code: null, signal: 'SIGKILL' },
    { notStarted: 'ENOENT' },
    { notStarted: 'ENOENT' },
  ]);
  expect(readyTimes).toEqual([0, 3]);
});

test('supervision of a missing program ends with the reason', async () => {
  const { supervised } = watch('', { program: join(folder, 'no-such-program') });
  await expect(supervised.firstReady).rejects.toThrow(
    new StartFailure('program', 'does not start (could not be started: ENOENT)'),
  );
});

test('a process with wrong settings is not started again', async () => {
  const { supervised, deaths } = watch("console.error('PORT: must be a number'); process.exit(2);");
  await expect(supervised.firstReady).rejects.toThrow('program does not start (exit code 2)');
  expect(deaths).toEqual([]);
});

test('a process is stopped with a signal, and is not started again', async () => {
  const { supervised, deaths } = watch(
    `${READY}${STAY}process.on('SIGTERM', () => { console.log('good night'); process.exit(0); });`,
  );
  await supervised.firstReady;
  const pid = supervised.process?.pid ?? 0;
  await supervised.stop();
  expect(identify(pid)).toBeUndefined();
  expect(deaths).toEqual([]);
  expect(await readFile(join(folder, 'program.log'), 'utf8')).toBe('ready\ngood night\n');
});

test('a process that ignores signals is ended, with its child processes', async () => {
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
  await vi.waitFor(() => expect(pids.map(identify)).toEqual([undefined, undefined]), WAIT);
});

test('a tethered process is notified when its supervisor ends', async () => {
  const marker = join(folder, 'told');
  const supervisor = join(folder, 'supervisor.mts');
  const program = `process.once('disconnect', () => {
    require('node:fs').writeFileSync(${JSON.stringify(marker)}, String(process.pid)); process.exit(0);
  }); require('node:fs').writeFileSync(${JSON.stringify(join(folder, 'ready'))}, '');`;
  await writeFile(
    supervisor,
    `import { ChildProgram } from ${JSON.stringify(join(import.meta.dirname, '../src/child-program.ts'))};
     await ChildProgram.launch({ name: 'tethered', program: process.execPath,
       parameters: ['--eval', ${JSON.stringify(program)}], tether: true });`,
  );
  await using watcher = await ChildProgram.launch({
    name: 'supervisor',
    program: process.execPath,
    parameters: [supervisor],
  });
  await vi.waitFor(() => readFile(join(folder, 'ready')), WAIT);
  watcher.signal('SIGKILL');
  const pid = await vi.waitFor(() => readFile(marker, 'utf8'), WAIT);
  await vi.waitFor(() => expect(identify(Number(pid))).toBeUndefined(), WAIT);
});
