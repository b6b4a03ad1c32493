import { expect, test } from 'vitest';
import {
  canMeasureProcesses,
  cpuMicroseconds,
  isRunning,
  openDescriptors,
  residentKibibytes,
} from './process-usage.ts';

test.runIf(canMeasureProcesses())('a process is measured as the system itself measures it', () => {
  const before = cpuMicroseconds(process.pid);
  const own = process.cpuUsage();
  while (process.cpuUsage(own).user + process.cpuUsage(own).system < 120_000);
  const used = cpuMicroseconds(process.pid) - before;
  expect(used).toBeGreaterThan(80_000);
  const share = (residentKibibytes(process.pid) * 1_024) / process.memoryUsage().rss;
  expect(share).toBeGreaterThan(0.8);
  expect(share).toBeLessThan(1.25);
  expect(openDescriptors(process.pid)).toBeGreaterThan(2);
  expect(isRunning(process.pid)).toBe(true);
});

test('a process that has ended has used nothing', () => {
  const gone = 2_147_483_000;
  expect([cpuMicroseconds(gone), residentKibibytes(gone), openDescriptors(gone)]).toEqual([
    0, 0, 0,
  ]);
  expect(isRunning(gone)).toBe(false);
});
