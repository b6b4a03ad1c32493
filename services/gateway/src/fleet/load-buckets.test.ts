import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { heartbeatOf } from './heartbeat-fixture.ts';
import { LoadBuckets } from './load-buckets.ts';
import { WorkerView } from './worker-view.ts';

const workerOf = (place: number) =>
  new WorkerView(heartbeatOf(`worker${place}`), { place, cacheId: place + 1, now: 0 });
const anyWorker = () => true;

test('without workers there is no least loaded one', () => {
  expect(new LoadBuckets().leastLoaded(anyWorker, () => 0)).toBeUndefined();
});

test('the least loaded worker and the sums are the same as those of a search among all', () => {
  const step = fc.record({
    place: fc.nat(7),
    isMember: fc.constantFrom(true, true, true, false),
    slots: fc.constantFrom(0, 1, 4, 64),
    running: fc.nat(70),
    offered: fc.nat(3),
    refused: fc.nat(7),
    random: fc.double({ min: 0, max: 0.99, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      const buckets = new LoadBuckets();
      const workers = Array.from({ length: 8 }, (_, place) => workerOf(place));
      for (const { place, isMember, slots, running, offered, refused, random } of steps) {
        const worker = workers[place];
        if (worker === undefined) throw new Error('the worker is missing');
        if (isMember) buckets.add(worker);
        else buckets.remove(worker);
        worker.load = { slots, running, queued: 0, queue_limit: 8 };
        worker.offered = offered;
        const members = workers.filter((one) => buckets.has(one));
        expect(buckets.jobs).toBe(members.reduce((sum, { jobs }) => sum + jobs, 0));
        expect(buckets.slots).toBe(members.reduce((sum, one) => sum + one.slots, 0));
        const least = buckets.leastLoaded(
          (one) => one.place !== refused,
          () => random,
        );
        const accepted = members.filter((one) => one.place !== refused);
        const lowest = Math.min(...accepted.map(({ loadRatio }) => loadRatio));
        if (least === undefined) expect(accepted).toEqual([]);
        else if (least.hasFreeSlot) {
          expect(least.place).not.toBe(refused);
          expect(least.loadRatio - lowest).toBeLessThan(1 / 256);
        } else expect(lowest).toBeGreaterThanOrEqual(1);
      }
    }),
  );
});

test('a worker that was removed has no listener', () => {
  const buckets = new LoadBuckets();
  const worker = workerOf(0);
  buckets.add(worker);
  buckets.remove(worker);
  expect(worker.listeners).toEqual([]);
  buckets.remove(worker);
  expect(buckets.slots).toBe(0);
});
