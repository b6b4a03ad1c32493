import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { identify, isAlive } from './process-identity.ts';

test('a process keeps its identity while it lives', () => {
  const identity = identify(process.pid);
  expect(identity).toMatchObject({ pid: process.pid });
  expect(identity).toEqual(identify(process.pid));
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

test('a stranger with the same pid is not taken for the process', () => {
  expect(isAlive({ pid: process.pid, started: 'another time' })).toBe(false);
});
