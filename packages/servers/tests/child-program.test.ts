import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { identify, startProgram, StartFailure, type ProgramOptions } from '@sluice/servers';
import { expect, test, vi } from 'vitest';

const WAIT = { timeout: 10_000, interval: 20 };
const STAY = 'setInterval(() => {}, 1000);';
const START_ANOTHER = `
  const { spawn } = require('node:child_process');
  const { pid } = spawn(process.execPath, ['--eval', '${STAY}'], { stdio: 'ignore' });
  console.log(pid);
`;

function script(text: string): ProgramOptions {
  return { name: 'program', program: process.execPath, parameters: ['--eval', text] };
}

const hasSpoken = async ({ firstLine }: { firstLine: Promise<string> }) => (await firstLine) !== '';

test('a program that ends before it is ready fails with the end of its output', async () => {
  const failure: unknown = await startProgram({
    ...script("console.log('looking'); console.error('no disk left'); process.exitCode = 3;"),
    isReady: async () => false,
  }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StartFailure);
  expect(failure).toMatchObject({
    summary: 'program does not start (exit code 3)',
    lastLines: expect.arrayContaining(['looking', 'no disk left']) as string[],
  });
});

test('a program that does not become ready is ended', async () => {
  let pid = 0;
  await expect(
    startProgram({
      ...script(`console.log('still loading');${STAY}`),
      isReady: async (program) => {
        pid = program.pid;
        await program.firstLine;
        return false;
      },
      readyTimeoutMs: 500,
    }),
  ).rejects.toThrow('program did not become ready in time\nstill loading');
  expect(identify(pid)).toBeUndefined();
});

test('the processes that a program has started end with it, also when it is killed', async () => {
  const program = await startProgram({ ...script(START_ANOTHER + STAY), isReady: hasSpoken });
  const other = Number(await program.firstLine);
  expect(identify(other)).toBeDefined();
  process.kill(program.pid, 'SIGKILL');
  await vi.waitFor(() => expect(identify(other)).toBeUndefined(), WAIT);
});

async function runModule(text: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', text],
    { cwd: import.meta.dirname },
  );
  return stdout.trim();
}

const START = `
  import { startProgram, endAllPrograms } from '@sluice/servers';
  const options = {
    name: 'program', program: process.execPath, parameters: ['--eval', ${JSON.stringify(`console.log(1);${STAY}`)}],
    isReady: async ({ firstLine }) => (await firstLine) !== '',
  };
`;

test('when a process exits, its programs end, also a paused one', async () => {
  const pid = await runModule(`${START}
    const { pid, signal } = await startProgram(options);
    process.kill(pid, 'SIGSTOP');
    console.log(pid);
    process.exit();
  `);
  await vi.waitFor(() => expect(identify(Number(pid))).toBeUndefined(), WAIT);
});

test('an interrupted run ends a program that is still starting, and starts no other program', async () => {
  const said = await runModule(`${START}
    let pid;
    const starting = startProgram({ ...options, isReady: async (program) => { pid = program.pid; return false; } });
    const failures = [starting.catch((error) => error.message.split('\\n')[0])];
    while (pid === undefined) await new Promise(setImmediate);
    await endAllPrograms();
    failures.push(startProgram(options).catch((error) => error.message));
    console.log(JSON.stringify({ pid, failures: await Promise.all(failures) }));
  `);
  const { pid, failures } = JSON.parse(said) as { pid: number; failures: string[] };
  expect(identify(pid)).toBeUndefined();
  expect(failures).toEqual([
    'program does not start (SIGTERM)',
    'program could not be started: all programs are being ended',
  ]);
});
