import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { requireAnswers, requireRunning } from './observe.ts';

test('a load that is not answered gives no figure', () => {
  expect(() => requireAnswers({ answered: 60, failures: { 0: 1, 503: 39 } })).toThrow(
    '40 of 100 requests were not answered in full (broken off: 1, 503: 39)',
  );
  expect(() => requireAnswers({ answered: 0, failures: { 500: 1 } })).toThrow('1 of 1');
});

test('a single failure in a long load, and a load of unfinished streams, count as a measurement', () => {
  expect(() => requireAnswers({ answered: 99, failures: { 503: 1 } })).not.toThrow();
  expect(() => requireAnswers({ answered: 0, failures: {} })).not.toThrow();
});

test('a measurement is rejected if a process has ended', () => {
  const gone = spawnSync(process.execPath, ['--version']).pid;
  expect(() => requireRunning({ gateway: [process.pid], quota: [process.pid] })).not.toThrow();
  expect(() => requireRunning({ gateway: [process.pid], quota: [process.pid, gone] })).toThrow(
    'its quota has ended',
  );
});
