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
    ...changes,
  };
}

/** Whoever watches may have done so for an hour. */
const START = 3_600_000;

test('a worker is shown with its load, and its speed from the second heartbeat on', () => {
  const fleet = new FleetView();
  fleet.heard(heartbeatOf(), START);
  expect(fleet.rows(START)).toEqual([
    {
      worker: 'worker1',
      pool: 'default',
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
  fleet.heard(heartbeatOf({ generated_tokens: 150 }), START + 2_000);
  expect(fleet.rows(START + 2_000)).toMatchObject([{ tokens_per_second: 25 }]);
  // What it did long ago says nothing about now.
  fleet.heard(heartbeatOf({ generated_tokens: 150 }), START + 6_000);
  fleet.heard(heartbeatOf({ generated_tokens: 150 }), START + 7_100);
  expect(fleet.rows(START + 7_100)).toMatchObject([{ tokens_per_second: 0 }]);
});

test('a worker is shown with what its runtime tells of itself, while it is heard', () => {
  const fleet = new FleetView();
  const runtime_load = { running: 3, waiting: 1, cache_use: 0.42 };
  fleet.heard(heartbeatOf({ runtime_load }), START);
  expect(fleet.rows(START)).toMatchObject([{ runtime_load }]);
  expect(fleet.rows(START + 5_000)).toMatchObject([{ state: 'silent', runtime_load: null }]);
});

const full = { slots: 4, running: 4, queued: 2, queue_limit: 2 };

test.each<[string, Partial<Heartbeat>]>([
  ['full', { load: full }],
  ['draining', { draining: true, load: full }],
  ['no models', { models: [] }],
  ['incompatible', { contract: 99 }],
])('a worker may be %s', (state, changes) => {
  const fleet = new FleetView();
  fleet.heard(heartbeatOf(changes), START);
  expect(fleet.rows(START)).toMatchObject([{ state }]);
});

test('a worker that is no longer heard is silent, and forgotten in the end', () => {
  const fleet = new FleetView();
  fleet.heard(heartbeatOf(), START);
  fleet.heard(heartbeatOf(), START + 1_000);
  expect(fleet.rows(START + 4_500)).toMatchObject([{ state: 'silent', tokens_per_second: null }]);
  expect(fleet.rows(START + 31_000)).toEqual([]);
});

test('workers stand by pool and name, old ones without a speed', () => {
  const fleet = new FleetView();
  const { generated_tokens: _unsaid, ...old } = heartbeatOf({ worker: 'z' });
  for (const now of [START, START + 1_000]) {
    fleet.heard(old, now);
    fleet.heard(heartbeatOf({ worker: 'a', pool: 'large' }), now);
    fleet.heard(heartbeatOf({ worker: 'b' }), now);
  }
  expect(
    fleet.rows(START + 1_000).map(({ worker, tokens_per_second }) => [worker, tokens_per_second]),
  ).toEqual([
    ['b', 0],
    ['z', null],
    ['a', 0],
  ]);
});
