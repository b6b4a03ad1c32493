import {
  CONTRACT_VERSION,
  HEARTBEAT_FRESH_MS,
  HEARTBEAT_LATE_MS,
  type Heartbeat,
} from '@sluice/contracts';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FleetTable } from './fleet-table.ts';
import { heartbeatOf } from './heartbeat-fixture.ts';

const model = { pool: 'default', runtime_model: 'large' };

function setUp() {
  let now = 0;
  const fleet = new FleetTable(() => now);
  const offered = (except: string[] = []) =>
    fleet.candidates(model, new Set(except)).map(({ id }) => id);
  return {
    fleet,
    offered,
    wait: (duration: number) => {
      now += duration;
    },
  };
}

describe('the table of workers', () => {
  test('offers jobs to workers that serve the model', () => {
    const { fleet, offered } = setUp();
    fleet.update(heartbeatOf('a'));
    fleet.update(heartbeatOf('other model', { models: ['small'] }));
    fleet.update(heartbeatOf('other pool', { pool: 'batch' }));
    fleet.update(heartbeatOf('draining', { draining: true }));
    fleet.update(heartbeatOf('other contract', { contract: CONTRACT_VERSION + 1 }));
    expect(offered()).toEqual(['a']);
    expect(offered(['a'])).toEqual([]);
  });

  test('finds them without reading any other worker', () => {
    const { fleet, offered } = setUp();
    let reads = 0;
    const counted = (heartbeat: Heartbeat) =>
      new Proxy(heartbeat, {
        get: (target, name) => {
          reads += 1;
          return Reflect.get(target, name) as unknown;
        },
      });
    fleet.update(heartbeatOf('a'));
    fleet.update(counted(heartbeatOf('other model', { models: ['small'] })));
    fleet.update(counted(heartbeatOf('other pool', { pool: 'batch' })));
    reads = 0;
    expect(offered()).toEqual(['a']);
    expect(fleet.expectedWaitMs(model)).toBeUndefined();
    expect(reads).toBe(0);
  });

  test('keeps workers in the order of arrival, even if their models changed in between', () => {
    const step = fc.record({
      worker: fc.constantFrom('a', 'b', 'c', 'd'),
      pool: fc.constantFrom('default', 'default', 'batch'),
      models: fc.array(fc.constantFrom('large', 'small'), { maxLength: 3 }),
      draining: fc.constantFrom(false, false, true),
      waitedMs: fc.constantFrom(0, 0, 1, HEARTBEAT_FRESH_MS, 60_001),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
        const { fleet, offered, wait } = setUp();
        let now = 0;
        const heard = new Map<string, { heartbeat: Heartbeat; at: number }>();
        for (const { waitedMs, worker, ...change } of steps) {
          wait(waitedMs);
          now += waitedMs;
          const heartbeat = heartbeatOf(worker, change);
          fleet.update(heartbeat);
          const isNew = !heard.has(worker);
          heard.set(worker, { heartbeat, at: now });
          for (const [id, { at }] of heard) if (isNew && now - at > 60_000) heard.delete(id);
          const expected = [...heard.values()].filter(
            ({ heartbeat: { pool, models, draining }, at }) =>
              pool === model.pool &&
              models.includes(model.runtime_model) &&
              !draining &&
              now - at < HEARTBEAT_FRESH_MS,
          );
          expect(offered()).toEqual(expected.map(({ heartbeat: { worker: id } }) => id));
        }
      }),
    );
  });

  test('drops a silent worker until its next heartbeat', () => {
    const { fleet, offered, wait } = setUp();
    fleet.update(heartbeatOf('a'));
    wait(HEARTBEAT_FRESH_MS);
    expect(offered()).toEqual([]);
    fleet.update(heartbeatOf('a'));
    expect(offered()).toEqual(['a']);
  });

  test('reports a worker that arrives, returns or regains models, and no other', () => {
    const { fleet, wait } = setUp();
    let arrivals = 0;
    const stop = fleet.onArrival(() => (arrivals += 1));
    const arrivalsAfter = (...heartbeat: Parameters<typeof heartbeatOf>) => {
      fleet.update(heartbeatOf(...heartbeat));
      return arrivals;
    };
    expect([arrivalsAfter('a'), arrivalsAfter('a')]).toEqual([1, 1]);
    wait(HEARTBEAT_FRESH_MS);
    expect(arrivalsAfter('a')).toBe(2);
    expect(arrivalsAfter('a', { models: [] })).toBe(2);
    expect(arrivalsAfter('a')).toBe(3);
    stop();
    expect(arrivalsAfter('b')).toBe(3);
  });

  test('knows which heartbeats are late', () => {
    const { fleet, wait } = setUp();
    expect(fleet.isLate('never heard')).toBe(true);
    fleet.update(heartbeatOf('a'));
    wait(HEARTBEAT_LATE_MS - 1);
    expect(fleet.isLate('a')).toBe(false);
    wait(1);
    expect(fleet.isLate('a')).toBe(true);
  });

  test('avoids a failed worker for a while, unless there is no other', () => {
    const { fleet, offered, wait } = setUp();
    fleet.update(heartbeatOf('a'));
    fleet.update(heartbeatOf('b'));
    fleet.penalize('a', 1_000);
    expect(offered()).toEqual(['b']);
    expect(offered(['b'])).toEqual(['a']);
    wait(1_000);
    expect(offered()).toEqual(['a', 'b']);
  });

  test('lets a penalty be undone if the worker succeeded since its last failure, however long ago', () => {
    const { fleet, offered, wait } = setUp();
    fleet.penalize('never heard', 1_000)();
    fleet.update(heartbeatOf('a'));
    fleet.update(heartbeatOf('b'));
    fleet.penalize('a', 1_000);
    fleet.recordSuccess('a');
    wait(HEARTBEAT_FRESH_MS - 1);
    fleet.penalize('a', 1_000)();
    expect(offered()).toEqual(['a', 'b']);
    // No success since the last failure.
    fleet.penalize('a', 1_000)();
    expect(offered()).toEqual(['b']);
  });

  test('forgets workers that do not return', () => {
    const { fleet, offered, wait } = setUp();
    for (let count = 0; count < 10; count += 1) fleet.update(heartbeatOf(`worker ${count}`));
    fleet.penalize('worker 0', 600_000);
    expect(fleet.size).toBe(10);
    wait(120_000);
    expect(fleet.size).toBe(0);
    expect(fleet.describe()).toEqual([]);
    fleet.update(heartbeatOf('new'));
    expect(fleet.size).toBe(1);
    expect(fleet.describe()).toHaveLength(1);
    // The penalty is forgotten too.
    fleet.update(heartbeatOf('worker 0'));
    expect(offered()).toEqual(['new', 'worker 0']);
  });

  test('keeps the count of unanswered offers across heartbeats and stores the newest load', () => {
    const { fleet } = setUp();
    fleet.update(heartbeatOf('a'));
    for (const worker of fleet.candidates(model, new Set())) worker.offered += 2;
    fleet.observe('a', { slots: 4, running: 3, queued: 1, queue_limit: 8 });
    expect(fleet.describe()).toMatchObject([{ offered: 2, running: 3, queued: 1 }]);
    fleet.update(heartbeatOf('a'));
    expect(fleet.describe()).toMatchObject([{ offered: 2, running: 0 }]);
  });

  test('estimates the wait for a slot from the fastest queue', () => {
    const { fleet } = setUp();
    expect(fleet.expectedWaitMs(model)).toBeUndefined();
    const load = { slots: 2, running: 2, queued: 3, queue_limit: 8 };
    fleet.update(heartbeatOf('a', { load, service_ms: 1_000 }));
    fleet.update(heartbeatOf('b', { load, service_ms: 3_000 }));
    // Slots of other models and of draining workers do not count.
    fleet.update(heartbeatOf('c', { load, service_ms: 1, models: ['other'] }));
    fleet.update(heartbeatOf('d', { load, service_ms: 1, draining: true }));
    expect(fleet.expectedWaitMs(model)).toBe(2_000);
  });

  test('estimates the wait of a job by the queued jobs of its class and of higher ones', () => {
    const { fleet } = setUp();
    const load = { slots: 2, running: 2, queued: 9, queue_limit: 8 };
    fleet.update(heartbeatOf('a', { load, service_ms: 1_000 }));
    // Without classes, all jobs have the default class.
    const waits = [-1, 0, 1].map((number) => fleet.expectedWaitMs(model, number));
    expect(waits).toEqual([5_000, 5_000, 500]);
    const classes = [
      { class: 2, running: 2, queued: 1 },
      { class: 0, running: 0, queued: 2 },
      { class: -1, running: 0, queued: 6 },
    ];
    fleet.update(heartbeatOf('a', { load, classes, service_ms: 1_000 }));
    const withClasses = [-1, 0, 1, 2, 3].map((number) => fleet.expectedWaitMs(model, number));
    expect(withClasses).toEqual([5_000, 2_000, 1_000, 1_000, 500]);
  });
});

test('the table knows at which workers an organization holds all its slots', () => {
  let now = 0;
  const fleet = new FleetTable(() => now);
  fleet.update(heartbeatOf('a', { full_organizations: ['batch', 'other'] }));
  fleet.update(heartbeatOf('b', { full_organizations: ['batch'] }));
  expect([...fleet.fullFor('batch')]).toEqual(['a', 'b']);
  fleet.update(heartbeatOf('a', { full_organizations: ['other'] }));
  expect([...fleet.fullFor('batch')]).toEqual(['b']);
  fleet.update(heartbeatOf('b'));
  expect([...fleet.fullFor('batch')]).toEqual([]);
  // When a worker is forgotten, what its heartbeats said is forgotten too.
  now = 61_000;
  fleet.update(heartbeatOf('c'));
  expect([...fleet.fullFor('other')]).toEqual([]);
});
