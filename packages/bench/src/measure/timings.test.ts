import { Pauses } from '@sluice/devkit/pauses';
import { expect, test } from 'vitest';
import { TimingList, whileRunning } from './timings.ts';

test('requests under way while the machine was paused are left out, and counted', () => {
  const list = new TimingList();
  list.add(0, 10);
  list.add(95, 10);
  list.add(105, 2);
  list.add(120, 7);
  const pauses = new Pauses([{ from: 100, to: 120 }]);
  expect(whileRunning(list.take(), pauses)).toEqual({ tookMs: [10, 7], leftOutShare: 0.5 });
});

test('requests that took much longer than a pause of the machine are not left out', () => {
  const list = new TimingList();
  list.add(60, 60);
  list.add(70, 30.5);
  list.add(85, 38);
  const pauses = new Pauses([{ from: 100, to: 120 }]);
  const { tookMs } = whileRunning(list.take(), pauses);
  expect(tookMs).toEqual([60, 30.5]);
});

test('a list returns each timing only once', () => {
  const list = new TimingList();
  list.add(1, 2);
  expect(list.take().tookMs).toEqual([2]);
  expect(list.take().tookMs).toEqual([]);
  expect(whileRunning(list.take(), new Pauses([]))).toEqual({ tookMs: [], leftOutShare: 0 });
});
