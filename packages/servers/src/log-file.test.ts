import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openLogFile } from './log-file.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-logs-'));
});

afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

test('the text since a position is what the process wrote after it', () => {
  using log = openLogFile(join(folder, 'worker.log'));
  writeSync(log.descriptor, 'old\n');
  const from = log.size();
  expect(log.textSince(from)).toBe('');
  execFileSync('sh', ['-c', 'echo one; echo; echo two >&2; echo three'], {
    stdio: ['ignore', log.descriptor, log.descriptor],
  });
  expect(log.textSince(from)).toBe('one\n\ntwo\nthree\n');
});

test('the log of the previous run is kept', () => {
  openLogFile(join(folder, 'worker.log'))[Symbol.dispose]();
  using before = openLogFile(join(folder, 'worker.log'));
  writeSync(before.descriptor, 'the run before\n');
  using _now = openLogFile(join(folder, 'worker.log'));
  expect(readFileSync(join(folder, 'worker.log.1'), 'utf8')).toBe('the run before\n');
  expect(readFileSync(join(folder, 'worker.log'), 'utf8')).toBe('');
});

test('a log that has grown too large is truncated, and its writer continues', () => {
  vi.useFakeTimers();
  using log = openLogFile(join(folder, 'worker.log'), { limitBytes: 10 });
  writeSync(log.descriptor, 'more than ten bytes\n');
  vi.advanceTimersByTime(5_000);
  expect(log.size()).toBe(0);
  writeSync(log.descriptor, 'after\n');
  expect(log.textSince(20)).toBe('after\n');
  expect(readFileSync(join(folder, 'worker.log.1'), 'utf8')).toBe('more than ten bytes\n');
  expect(readdirSync(folder).toSorted()).toEqual(['worker.log', 'worker.log.1']);
});

test('a log whose folder was removed is still truncated', () => {
  vi.useFakeTimers();
  mkdirSync(join(folder, 'logs'));
  using log = openLogFile(join(folder, 'logs', 'worker.log'), { limitBytes: 10 });
  rmSync(join(folder, 'logs'), { recursive: true });
  writeSync(log.descriptor, 'more than ten bytes\n');
  vi.advanceTimersByTime(5_000);
  expect(log.size()).toBe(0);
});
