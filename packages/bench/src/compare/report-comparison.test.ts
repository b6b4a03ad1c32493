import { expect, test } from 'vitest';
import type { Missed } from './measurements.ts';
import { breaksPromise } from './report-comparison.ts';

const nothing = { verdicts: [], notRun: {}, missed: [] };
const missed: Missed = { round: 1, work: 'paced', contestant: 'sluice', reason: 'no answer' };

test('Sluice has to be measured, others may be missing', () => {
  expect(breaksPromise(nothing)).toBe(false);
  expect(breaksPromise({ ...nothing, notRun: { sluice: 'does not start' } })).toBe(true);
  expect(breaksPromise({ ...nothing, missed: [missed] })).toBe(true);
  expect(breaksPromise({ ...nothing, notRun: { nginx: 'not installed' } })).toBe(false);
  expect(breaksPromise({ ...nothing, missed: [{ ...missed, contestant: 'nginx' }] })).toBe(false);
});
