import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { identify, isAlive } from './process-identity.ts';

test('the identity of a process does not change while it lives', () => {
  const identity = identify(process.pid);
  expect(identity).toMatchObject({ pid: process.pid });
  const grown = Buffer.alloc(64 * 1024 * 1024, 1);
  expect(identity).toEqual(identify(process.pid));
  expect(grown.at(-1)).toBe(1);
  expect(identity !== undefined && isAlive(identity)).toBe(true);
});

test('a process that has ended has no identity', async () => {
  const child = spawn(process.execPath, ['--eval', '0']);
  const pid = child.pid ?? 0;
  const identity = identify(pid);
  await once(child, 'exit');
  expect(identify(pid)).toBeUndefined();
  expect(identity !== undefined && isAlive(identity)).toBe(false);
});

test('a zombie process has no identity', async () => {
  const parent = spawn('/bin/sh', ['-c', 'true & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [pid] = (await once(parent.stdout, 'data')) as [Buffer];
  await vi.waitFor(() => expect(identify(Number(pid))).toBeUndefined(), 2_000);
});

test('a process that was started later has another identity, even with the same pid', () => {
  const later = spawn(process.execPath, ['--eval', '0']);
  expect(identify(later.pid ?? 0)?.started).not.toBe(identify(process.pid)?.started);
});

test('another process with the same pid is not mistaken for the recorded one', () => {
  expect(isAlive({ pid: process.pid, started: 'another time' })).toBe(false);
});
