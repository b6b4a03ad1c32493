import { expect, test } from 'vitest';
import { FaultLog } from './fault-log.ts';

test('a fault excuses only requests that overlap it or its aftermath', () => {
  const log = new FaultLog();
  log.begin('kill worker', 10_000).recoveredAt = 12_000;
  expect(log.excuses({ startedAt: 5_000, endedAt: 10_500 })).toBe(true);
  expect(log.excuses({ startedAt: 14_900, endedAt: 20_000 })).toBe(true);
  expect(log.excuses({ startedAt: 5_000, endedAt: 9_999 })).toBe(false);
  expect(log.excuses({ startedAt: 15_001, endedAt: 20_000 })).toBe(false);
});

test('a fault that is not over excuses everything after it', () => {
  const log = new FaultLog();
  log.begin('freeze nats', 1_000);
  expect(log.excuses({ startedAt: 900_000, endedAt: 900_001 })).toBe(true);
});

test('time is free of faults while no fault and no aftermath covers it', () => {
  const log = new FaultLog();
  log.begin('kill worker', 10_000).recoveredAt = 12_000;
  log.begin('kill redis', 13_000).recoveredAt = 14_000;
  expect(log.faultFreeMs(0, 20_000)).toBe(13_000);
});
