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
  test('offers jobs to those who serve the model', () => {
    const { fleet, offered } = setUp();
    fleet.heard(heartbeatOf('a'));
    fleet.heard(heartbeatOf('other model', { models: ['small'] }));
    fleet.heard(heartbeatOf('other pool', { pool: 'batch' }));
    fleet.heard(heartbeatOf('draining', { draining: true }));
    fleet.heard(heartbeatOf('other contract', { contract: CONTRACT_VERSION + 1 }));
    expect(offered()).toEqual(['a']);
    expect(offered(['a'])).toEqual([]);
  });

  test('looks at nobody else to find them', () => {
    const { fleet, offered } = setUp();
    let looks = 0;
    const counted = (heartbeat: Heartbeat) =>
      new Proxy(heartbeat, {
        get: (target, name) => {
          looks += 1;
          return Reflect.get(target, name) as unknown;
        },
      });
    fleet.heard(heartbeatOf('a'));
    fleet.heard(counted(heartbeatOf('other model', { models: ['small'] })));
    fleet.heard(counted(heartbeatOf('other pool', { pool: 'batch' })));
    looks = 0;
    expect(offered()).toEqual(['a']);
    expect(fleet.expectedWaitMs(model)).toBeUndefined();
    expect(looks).toBe(0);
  });

  test('offers jobs to them in the order in which they came, whatever they have served since', () => {
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
          fleet.heard(heartbeat);
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

  test('drops a worker that is silent, until it is heard again', () => {
    const { fleet, offered, wait } = setUp();
    fleet.heard(heartbeatOf('a'));
    wait(HEARTBEAT_FRESH_MS);
    expect(offered()).toEqual([]);
    fleet.heard(heartbeatOf('a'));
    expect(offered()).toEqual(['a']);
  });

  test('tells of a worker that comes, or is back with something to serve, and of no other', () => {
    const { fleet, wait } = setUp();
    let arrivals = 0;
    const stop = fleet.onArrival(() => (arrivals += 1));
    const arrivalsAfter = (...heartbeat: Parameters<typeof heartbeatOf>) => {
      fleet.heard(heartbeatOf(...heartbeat));
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

  test('knows whose heartbeat is late', () => {
    const { fleet, wait } = setUp();
    expect(fleet.isLate('never heard')).toBe(true);
    fleet.heard(heartbeatOf('a'));
    wait(HEARTBEAT_LATE_MS - 1);
    expect(fleet.isLate('a')).toBe(false);
    wait(1);
    expect(fleet.isLate('a')).toBe(true);
  });

  test('leaves a failed worker alone for a while, unless there is nobody else', () => {
    const { fleet, offered, wait } = setUp();
    fleet.heard(heartbeatOf('a'));
    fleet.heard(heartbeatOf('b'));
    fleet.leaveAlone('a', 1_000);
    expect(offered()).toEqual(['b']);
    expect(offered(['b'])).toEqual(['a']);
    wait(1_000);
    expect(offered()).toEqual(['a', 'b']);
  });

  test('excuses a worker that has ended a job well since it failed, however long ago that was', () => {
    const { fleet, offered, wait } = setUp();
    fleet.leaveAlone('never heard', 1_000)();
    fleet.heard(heartbeatOf('a'));
    fleet.heard(heartbeatOf('b'));
    fleet.leaveAlone('a', 1_000);
    fleet.endedWell('a');
    wait(HEARTBEAT_FRESH_MS - 1);
    fleet.leaveAlone('a', 1_000)();
    expect(offered()).toEqual(['a', 'b']);
    // This time it has not.
    fleet.leaveAlone('a', 1_000)();
    expect(offered()).toEqual(['b']);
  });

  test('forgets workers that never come back', () => {
    const { fleet, offered, wait } = setUp();
    for (let count = 0; count < 10; count += 1) fleet.heard(heartbeatOf(`worker ${count}`));
    fleet.leaveAlone('worker 0', 600_000);
    expect(fleet.size).toBe(10);
    wait(120_000);
    expect(fleet.size).toBe(0);
    expect(fleet.describe()).toEqual([]);
    fleet.heard(heartbeatOf('new'));
    expect(fleet.size).toBe(1);
    expect(fleet.describe()).toHaveLength(1);
    // Not even that it failed is remembered.
    fleet.heard(heartbeatOf('worker 0'));
    expect(offered()).toEqual(['new', 'worker 0']);
  });

  test('keeps the count of unanswered offers over heartbeats, and takes the newest load', () => {
    const { fleet } = setUp();
    fleet.heard(heartbeatOf('a'));
    for (const worker of fleet.candidates(model, new Set())) worker.offered += 2;
    fleet.observe('a', { slots: 4, running: 3, queued: 1, queue_limit: 8 });
    expect(fleet.describe()).toMatchObject([{ offered: 2, running: 3, queued: 1 }]);
    fleet.heard(heartbeatOf('a'));
    expect(fleet.describe()).toMatchObject([{ offered: 2, running: 0 }]);
  });

  test('expects a place to come free by the speed of the quickest queue', () => {
    const { fleet } = setUp();
    expect(fleet.expectedWaitMs(model)).toBeUndefined();
    const load = { slots: 2, running: 2, queued: 3, queue_limit: 8 };
    fleet.heard(heartbeatOf('a', { load, service_ms: 1_000 }));
    fleet.heard(heartbeatOf('b', { load, service_ms: 3_000 }));
    // Places of those who do not serve the model are none.
    fleet.heard(heartbeatOf('c', { load, service_ms: 1, models: ['other'] }));
    fleet.heard(heartbeatOf('d', { load, service_ms: 1, draining: true }));
    expect(fleet.expectedWaitMs(model)).toBe(2_000);
  });
});
