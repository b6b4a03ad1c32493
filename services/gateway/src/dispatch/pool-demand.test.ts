import { expect, test } from 'vitest';
import { FleetTable } from '../fleet/fleet-table.ts';
import { heartbeatOf } from '../fleet/heartbeat-fixture.ts';
import { PoolDemand } from './pool-demand.ts';

function setUp() {
  const time = { now: 0 };
  const clock = () => time.now;
  const fleet = new FleetTable(clock);
  const wakes = { waitingFor: () => 0, expectedMs: () => undefined };
  return { time, fleet, demand: new PoolDemand({ fleet, wakes, clock }) };
}

const IDLE = { slots: 0, running: 0, queued: 0, waiting: 0, unserved: 0 };

test('the demand for a pool is that of all its workers that take jobs', () => {
  const { fleet, demand } = setUp();
  const busy = { slots: 4, running: 4, queued: 2, queue_limit: 8 };
  fleet.update(heartbeatOf('large.a', { pool: 'large', load: busy, service_ms: 8_000 }));
  fleet.update(heartbeatOf('large.b', { pool: 'large', load: { ...busy, queued: 5 } }));
  fleet.update(heartbeatOf('large.c', { pool: 'large', load: busy, draining: true }));
  fleet.update(heartbeatOf('small.a', { pool: 'small', load: { ...busy, running: 3, queued: 0 } }));
  expect(demand.read()).toEqual([
    { ...IDLE, pool: 'large', slots: 8, running: 8, queued: 7, expectedWaitMs: 6_000 },
    { ...IDLE, pool: 'small', slots: 4, running: 3, expectedWaitMs: 0 },
  ]);
});

test('a pool is known before its first worker and after its last one', () => {
  const { time, fleet, demand } = setUp();
  demand.notePools(['large']);
  fleet.update(heartbeatOf('small.a', { pool: 'small' }));
  demand.read();
  time.now = 3_600_000;
  expect(demand.read()).toEqual([
    { ...IDLE, pool: 'large', expectedWaitMs: undefined },
    { ...IDLE, pool: 'small', expectedWaitMs: undefined },
  ]);
});

test('requests that no worker took count as demand for a minute', () => {
  const { time, demand } = setUp();
  const unserved = () => demand.read()[0]?.unserved;
  demand.noteUnserved('large');
  time.now = 30_000;
  demand.noteUnserved('large');
  demand.noteUnserved('large');
  expect(unserved()).toBe(3);
  time.now = 66_000;
  expect(unserved()).toBe(2);
  time.now = 600_000;
  expect(unserved()).toBe(0);
});
