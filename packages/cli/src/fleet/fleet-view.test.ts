import { CONTRACT_VERSION, type Heartbeat } from '@sluice/contracts';
import { expect, test } from 'vitest';
import { FleetView } from './fleet-view.ts';

function heartbeatOf(changes: Partial<Heartbeat> = {}): Heartbeat {
  return {
    worker: 'worker1',
    pool: 'default',
    contract: CONTRACT_VERSION,
    version: '0.1.0',
    models: ['large'],
    draining: false,
    load: { slots: 4, running: 1, queued: 0, queue_limit: 2 },
    service_ms: null,
    generated_tokens: 100,
    runtime_load: null,
    ...changes,
  };
}

/** The time may be far from 0: `fleet` can run for hours. */
const START = 3_600_000;

test('a worker is shown with its load, and its speed from the second heartbeat on', () => {
  const fleet = new FleetView();
  fleet.update(heartbeatOf(), START);
  expect(fleet.rows(START)).toEqual([
    {
      worker: 'worker1',
      name: 'worker1',
      pool: 'default',
      host: null,
      runtime: null,
      version: '0.1.0',
      models: ['large'],
      state: 'ready',
      slots: 4,
      running: 1,
      queued: 0,
      queue_limit: 2,
      tokens_per_second: null,
      runtime_load: null,
    },
  ]);
  fleet.update(heartbeatOf({ generated_tokens: 150 }), START + 2_000);
  expect(fleet.rows(START + 2_000)).toMatchObject([{ tokens_per_second: 25 }]);
  // Samples older than the time window do not count.
  fleet.update(heartbeatOf({ generated_tokens: 150 }), START + 6_000);
  fleet.update(heartbeatOf({ generated_tokens: 150 }), START + 7_100);
  expect(fleet.rows(START + 7_100)).toMatchObject([{ tokens_per_second: 0 }]);
});

test('a worker is shown with the load that its runtime reports, until its heartbeats stop', () => {
  const fleet = new FleetView();
  const runtime_load = { running: 3, waiting: 1, cache_use: 0.42 };
  fleet.update(heartbeatOf({ runtime_load }), START);
  expect(fleet.rows(START)).toMatchObject([{ runtime_load }]);
  expect(fleet.rows(START + 5_000)).toMatchObject([{ state: 'silent', runtime_load: null }]);
});

const full = { slots: 4, running: 4, queued: 2, queue_limit: 2 };

test.each<[string, Partial<Heartbeat>]>([
  ['full', { load: full }],
  ['draining', { draining: true, load: full }],
  ['drained', { draining: true, load: { ...full, running: 0, queued: 0 } }],
  ['no models', { models: [] }],
  ['incompatible', { contract: 99 }],
])('a worker may be %s', (state, changes) => {
  const fleet = new FleetView();
  fleet.update(heartbeatOf(changes), START);
  expect(fleet.rows(START)).toMatchObject([{ state }]);
});

test('a worker whose heartbeats stop is silent, and is removed later', () => {
  const fleet = new FleetView();
  fleet.update(heartbeatOf(), START);
  fleet.update(heartbeatOf(), START + 1_000);
  expect(fleet.rows(START + 4_500)).toMatchObject([{ state: 'silent', tokens_per_second: null }]);
  expect(fleet.rows(START + 31_000)).toEqual([]);
});

test('a worker that was started again replaces the silent one', () => {
  const fleet = new FleetView();
  const gpu = { worker_name: 'gpu', host: 'rack-7', runtime: '127.0.0.1:8000' };
  fleet.update(heartbeatOf({ worker: 'before', ...gpu }), START);
  fleet.update(heartbeatOf({ worker: 'other', ...gpu, runtime: '127.0.0.1:8001' }), START);
  fleet.update(heartbeatOf({ worker: 'after', ...gpu }), START + 5_000);
  const rows = fleet.rows(START + 5_000);
  expect(rows.map(({ worker, state }) => [worker, state])).toEqual([
    ['after', 'ready'],
    ['other', 'silent'],
  ]);
});

test('workers are sorted by pool and then by name', () => {
  const fleet = new FleetView();
  fleet.update(heartbeatOf({ worker: 'z' }), START);
  fleet.update(heartbeatOf({ worker: 'a', pool: 'large' }), START);
  fleet.update(heartbeatOf({ worker: 'b' }), START);
  expect(fleet.rows(START).map(({ worker }) => worker)).toEqual(['b', 'z', 'a']);
});

test('a worker is shown with the classes of its jobs, if there are any', () => {
  const fleet = new FleetView();
  const classes = [
    { class: 2, running: 1, queued: 0 },
    { class: 0, running: 3, queued: 7 },
  ];
  fleet.update(heartbeatOf({ classes }), START);
  expect(fleet.rows(START)).toMatchObject([{ classes }]);
  fleet.update(heartbeatOf(), START + 1_000);
  expect(fleet.rows(START + 1_000)[0]).not.toHaveProperty('classes');
});
