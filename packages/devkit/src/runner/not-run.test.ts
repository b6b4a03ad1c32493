import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { NOT_RUN_FILE, cannotRun, explainNotRun, parseNotRun } from './not-run.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test('a suite without a reason runs', () => {
  expect(cannotRun('browser clients', undefined)).toBe(false);
});

test('reasons are recorded for the end of the run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-not-run-'));
  const collection = join(folder, 'not-run.jsonl');
  vi.stubEnv(NOT_RUN_FILE, collection);
  expect(cannotRun('browser clients', 'no Chromium')).toBe(true);
  expect(cannotRun('containers', 'no Docker:\nnone')).toBe(true);
  const collected = parseNotRun(readFileSync(collection, 'utf8'));
  rmSync(folder, { recursive: true });
  const file = 'packages/devkit/src/runner/not-run.test.ts';
  expect(collected).toEqual([
    { suite: 'browser clients', reason: 'no Chromium', file },
    { suite: 'containers', reason: 'no Docker:\nnone', file },
  ]);
});

test('one reason does not hide tests that were skipped without a reason', () => {
  const skipped = [
    { file: 'browser.test.ts', title: 'streams', status: 'pending' },
    { file: 'browser.test.ts', title: 'cancels', status: 'pending' },
    { file: 'other.test.ts', title: 'forgotten', status: 'pending' },
  ];
  const explained = [{ suite: 'browser clients', reason: 'no Chromium', file: 'browser.test.ts' }];
  expect(explainNotRun(skipped, explained)).toEqual([
    'NOT RUN: browser clients: no Chromium (2 tests of browser.test.ts)',
    'NOT RUN: other.test.ts: forgotten: marked as pending',
  ]);
});

test('without a file for reasons, the reason is printed at once', () => {
  vi.stubEnv(NOT_RUN_FILE, undefined);
  const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
  cannotRun('browser clients', 'no Chromium');
  expect(warn).toHaveBeenCalledWith('NOT RUN: browser clients: no Chromium');
});
