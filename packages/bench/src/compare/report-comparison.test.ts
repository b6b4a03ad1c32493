import { expect, test } from 'vitest';
import type { Missed } from './measurements.ts';
import { judge } from './promises.ts';
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

test('a promise that is broken fails a run, an aim that is missed does not', () => {
  const verdicts = judge(
    () => 1_000,
    () => 0,
  );
  const [aims, promises] = [true, false].map((wanted) =>
    verdicts.filter(({ kept, isAim }) => kept === false && isAim === wanted),
  );
  expect(promises).not.toEqual([]);
  expect(breaksPromise({ ...nothing, verdicts: promises ?? [] })).toBe(true);
  expect(aims).not.toEqual([]);
  expect(breaksPromise({ ...nothing, verdicts: aims ?? [] })).toBe(false);
});
