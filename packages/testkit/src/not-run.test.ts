import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { NOT_RUN_FILE, cannotRun, notRunLine, parseNotRun } from './not-run.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test('a suite without a reason runs', () => {
  expect(cannotRun('browser clients', undefined)).toBe(false);
});

test('reasons are collected for the end of the run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-not-run-'));
  const file = join(folder, 'not-run.jsonl');
  vi.stubEnv(NOT_RUN_FILE, file);
  expect(cannotRun('browser clients', 'no Chromium')).toBe(true);
  expect(cannotRun('containers', 'no Docker:\nnone')).toBe(true);
  const collected = parseNotRun(readFileSync(file, 'utf8'));
  rmSync(folder, { recursive: true });
  expect(collected.map(notRunLine)).toEqual([
    'NOT RUN: browser clients: no Chromium',
    'NOT RUN: containers: no Docker:\nnone',
  ]);
});

test('a run of one file says it at once', () => {
  vi.stubEnv(NOT_RUN_FILE, undefined);
  const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
  cannotRun('browser clients', 'no Chromium');
  expect(warn).toHaveBeenCalledWith('NOT RUN: browser clients: no Chromium');
});
