import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { blockedMs, longestBlockMs, readBlocks, watchedEnvironment } from './loop-blocks.ts';

/** Runs idle, then uses 120 ms of processor time in one turn, then runs idle again. */
const BLOCKED_ONCE = `
  setTimeout(() => {
    const used = process.threadCpuUsage();
    for (;;) {
      const { user, system } = process.threadCpuUsage(used);
      if (user + system > 120_000) break;
    }
  }, 50);
  setTimeout(() => undefined, 400);
`;

test('a process writes how long its event loop was blocked', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-loops-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const startedAt = Date.now();
  const child = spawn(process.execPath, ['--eval', BLOCKED_ONCE], {
    env: { ...process.env, ...watchedEnvironment(folder) },
    stdio: 'ignore',
  });
  await once(child, 'exit');
  const blocks = await readBlocks(folder, child.pid ?? 0);
  const longest = longestBlockMs(blocks, { from: startedAt, to: Date.now() });
  expect(longest).toBeGreaterThan(110);
  expect(longestBlockMs(blocks, { from: 0, to: startedAt - 1 })).toBe(0);
});

test('a process that was never blocked has written nothing', async () => {
  expect(await readBlocks(tmpdir(), 0)).toEqual([]);
});

test('a loop that waited for a processor was not blocked by its code', () => {
  expect(blockedMs({ atMs: 0, lateMs: 200, cpuMs: 12 })).toBe(12);
  expect(blockedMs({ atMs: 0, lateMs: 60, cpuMs: 64 })).toBe(60);
});
