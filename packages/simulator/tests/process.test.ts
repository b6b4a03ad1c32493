import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { variableOfFlag } from '../src/config.ts';
import { question } from './ask.ts';

const main = new URL('../src/main.ts', import.meta.url).pathname;
const started: ChildProcess[] = [];

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

function run(environment: Record<string, string>, argv: string[] = []) {
  // Settings of the person who runs the tests must not reach it. With the compile cache it starts faster.
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const child = spawn(process.execPath, [main, ...argv], {
    env: { PATH, NODE_COMPILE_CACHE, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  const exited = once(child, 'close').then(([code]: unknown[]) => code);
  return { child, output, exited };
}

async function ready(running: ReturnType<typeof run>): Promise<string> {
  while (!running.output.stdout.includes('\n')) {
    await Promise.race([once(running.child.stdout, 'data'), running.exited]);
    if (running.child.exitCode !== null) throw new Error(running.output.stderr);
  }
  return (JSON.parse(running.output.stdout) as { url: string }).url;
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s stops it cleanly while a stream is open',
  async (signal) => {
    const running = run({ PORT: '0', SIMULATOR_MODELS: 'one:reasoning' }, ['--slots', '2']);
    const url = await ready(running);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(question('x', { stall_after: 1 }, { model: 'one', stream: true })),
    });
    running.child.kill(signal);
    await expect(response.text()).rejects.toThrow('terminated');
    expect(await running.exited).toBe(0);
    expect(running.output.stderr).toBe('');
  },
);

test.each(['--help', '-h'])('%s prints the options and starts nothing', async (flag) => {
  const { exited, output } = run({}, [flag]);
  expect(await exited).toBe(0);
  for (const name of Object.keys(variableOfFlag)) expect(output.stdout).toContain(`  --${name} `);
  expect(output.stderr).toBe('');
});

test('invalid settings are all named, and the exit code is 2', async () => {
  const { exited, output } = run({ PORT: 'http', SIMULATOR_SLOTS: '0', SIMULATOR_API_KEY: 'k' });
  expect(await exited).toBe(2);
  expect(output.stderr).toContain('PORT must be');
  expect(output.stderr).toContain('SIMULATOR_SLOTS must be');
  expect(output.stderr).not.toContain('API_KEY');
  expect(output.stdout).toBe('');
});

test('a port in use is reported in one line', async () => {
  const first = run({ PORT: '0' });
  const { port } = new URL(await ready(first));
  const second = run({ PORT: port });
  expect(await second.exited).toBe(1);
  expect(second.output.stderr).toContain('EADDRINUSE');
  expect(second.output.stderr.trim().split('\n')).toHaveLength(1);
});
