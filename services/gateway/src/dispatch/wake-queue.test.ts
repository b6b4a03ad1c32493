import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FleetTable } from '../fleet/fleet-table.ts';
import { heartbeatOf } from '../fleet/heartbeat-fixture.ts';
import { WakeQueue } from './wake-queue.ts';

const MODEL = { pool: 'default', runtime_model: 'large' };

const TIMERS = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const;

beforeEach(() => void vi.useFakeTimers({ toFake: [...TIMERS] }));
afterEach(() => void vi.useRealTimers());

function setUp({ maxRequests = 100, maxBytes = 1_000 } = {}) {
  const time = { now: 0 };
  const fleet = new FleetTable(() => time.now);
  const wakes = new WakeQueue({ fleet, clock: () => time.now, maxRequests, maxBytes });
  const ends: string[] = [];
  const wait = (name: string, wanted: Partial<Parameters<typeof wakes.wait>[0]> = {}) => {
    const [organization = ''] = name.split('-');
    const signal = new AbortController().signal;
    const defaults = {
      targets: [MODEL] as const,
      organization,
      bodyBytes: 1,
      limitMs: 60_000,
      signal,
    };
    const ended = wakes.wait({ ...defaults, ...wanted });
    void ended.then((end) => ends.push(end === 'ask_again' ? name : `${name} ${end}`));
  };
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  const workerWith = (room: number, name = 'default.a') =>
    heartbeatOf(name, { load: { slots: room, running: 0, queued: 0, queue_limit: 0 } });
  return { time, fleet, wakes, ends, wait, settled, workerWith };
}

test('a request is released when the first worker of its pool arrives', async () => {
  const { fleet, wakes, ends, wait, settled, workerWith } = setUp();
  wait('acme');
  fleet.update(heartbeatOf('other.a', { pool: 'other' }));
  fleet.update(heartbeatOf('default.loading', { models: [] }));
  await settled();
  expect([ends, wakes.size]).toEqual([[], 1]);
  fleet.update(workerWith(1));
  await settled();
  expect(ends).toEqual(['acme']);
  expect([wakes.size, wakes.waitingFor('default'), fleet.waiterCount]).toEqual([0, 0, 0]);
});

test('as many requests are released as the worker has room for, in turns between organizations', async () => {
  const { fleet, wakes, ends, wait, settled, workerWith } = setUp();
  for (const name of ['busy-1', 'busy-2', 'busy-3', 'acme-1', 'acme-2']) wait(name);
  fleet.update(workerWith(3));
  await settled();
  expect(ends).toEqual(['busy-1', 'acme-1', 'busy-2']);
  expect(wakes.waitingFor('default')).toBe(2);
});

test('a worker gets as many requests as it has free slots, and a quarter more for its queue', async () => {
  const { fleet, ends, wait, settled } = setUp({ maxRequests: 400 });
  for (let number = 1; number <= 20; number += 1) wait(`acme-${number}`);
  const load = { slots: 8, running: 3, queued: 0, queue_limit: 128 };
  fleet.onArrival(() => {
    for (const worker of fleet.candidates(MODEL, new Set())) worker.offered = 1;
  });
  fleet.update(heartbeatOf('default.a', { load: { ...load, running: 8, queued: 9 } }));
  fleet.update(heartbeatOf('default.a', { load }));
  vi.advanceTimersByTime(1_000);
  await settled();
  // 8 slots and a queue of 2, without the 3 running jobs and the offer that has no answer yet.
  expect(ends).toHaveLength(6);
});

test('a worker without a queue gets no more requests than it has free slots', async () => {
  const { fleet, ends, wait, settled, workerWith } = setUp();
  for (const name of ['acme-1', 'acme-2', 'acme-3']) wait(name);
  fleet.update(workerWith(2));
  await settled();
  expect(ends).toEqual(['acme-1', 'acme-2']);
});

test('a request whose time is over is refused, and frees its place', async () => {
  const { wakes, ends, wait, settled } = setUp();
  wait('acme', { limitMs: 5_000 });
  vi.advanceTimersByTime(4_999);
  await settled();
  expect(ends).toEqual([]);
  vi.advanceTimersByTime(1);
  await settled();
  await settled();
  expect(ends).toEqual(['acme over']);
  expect(wakes.size).toBe(0);
});

test('a request that is aborted frees its place at once', () => {
  const { wakes, fleet, wait } = setUp();
  const client = new AbortController();
  wait('acme', { signal: client.signal, bodyBytes: 250 });
  expect([wakes.size, fleet.waiterCount]).toEqual([1, 1]);
  client.abort();
  expect([wakes.size, fleet.waiterCount, vi.getTimerCount()]).toEqual([0, 0, 1]);
  wait('acme', { bodyBytes: 250 });
  expect(wakes.size).toBe(1);
});

test('a further request is refused when too many wait', async () => {
  const { ends, wait, settled } = setUp({ maxRequests: 4 });
  for (const name of ['a', 'b', 'c', 'd', 'e']) wait(name);
  await settled();
  expect(ends).toEqual(['e full']);
});

test('a further request is refused when the bodies of all are too large', async () => {
  const { ends, wait, settled } = setUp({ maxBytes: 1_000 });
  for (const name of ['a', 'b', 'c', 'd']) wait(name, { bodyBytes: 240 });
  wait('e', { bodyBytes: 41 });
  wait('f', { bodyBytes: 40 });
  await settled();
  expect(ends).toEqual(['e full']);
});

test('one organization cannot use more than a quarter of the queue', async () => {
  const { ends, wait, settled } = setUp({ maxRequests: 8, maxBytes: 1_000 });
  for (const name of ['busy-1', 'busy-2', 'busy-3', 'acme-1']) wait(name);
  wait('large-1', { bodyBytes: 200 });
  wait('large-2', { bodyBytes: 60 });
  await settled();
  expect(ends).toEqual(['busy-3 full', 'large-2 full']);
});

test('a request is released by a worker of any of its targets', async () => {
  const { fleet, ends, wait, settled } = setUp();
  const other = { pool: 'other', runtime_model: 'large-2' };
  wait('acme-1', { targets: [MODEL, other] });
  wait('acme-2');
  fleet.update(heartbeatOf('other.a', { pool: 'other', models: ['large-2'] }));
  await settled();
  expect(ends).toEqual(['acme-1']);
});

test('all requests are released if the runtimes of the pool do not have the model', async () => {
  const { fleet, ends, wait, settled } = setUp();
  for (const name of ['acme-1', 'acme-2']) wait(name);
  fleet.update(heartbeatOf('default.a', { models: ['small'] }));
  await settled();
  expect(ends).toEqual(['acme-1', 'acme-2']);
});

test('the next wake is expected to take as long as the last one', async () => {
  const { time, fleet, wakes, wait, settled, workerWith } = setUp();
  wait('acme-1');
  time.now = 40_000;
  expect(wakes.expectedMs('default')).toBeUndefined();
  fleet.update(workerWith(1));
  await settled();
  expect(wakes.expectedMs('default')).toBe(40_000);
  time.now = 100_000;
  wait('acme-2');
  time.now = 130_000;
  expect(wakes.expectedMs('default')).toBe(10_000);
  time.now = 150_000;
  expect(wakes.expectedMs('default')).toBe(0);
});
