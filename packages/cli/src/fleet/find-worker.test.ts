import { expect, test } from 'vitest';
import { findWorker, labelOf } from './find-worker.ts';
import type { WorkerRow } from './fleet-view.ts';

function rowOf(worker: string, change: Partial<WorkerRow> = {}): WorkerRow {
  return {
    worker,
    name: worker,
    pool: 'default',
    host: 'rack-7',
    runtime: '127.0.0.1:8000',
    version: '0.3.0',
    models: ['large'],
    state: 'ready',
    slots: 4,
    running: 0,
    queued: 0,
    queue_limit: 8,
    tokens_per_second: null,
    runtime_load: null,
    ...change,
  };
}

const rows = [
  rowOf('default.a1', { name: 'gpu-1' }),
  rowOf('default.a2', { name: 'gpu-2' }),
  rowOf('large.b1', { name: 'gpu-2', pool: 'large' }),
  rowOf('large.b2', { name: 'twin', pool: 'large' }),
  rowOf('large.b3', { name: 'twin', pool: 'large', runtime: '127.0.0.1:8001' }),
  rowOf('large.b4', { name: 'gone', pool: 'large', state: 'silent' }),
];

test.each([
  ['gpu-1', 'default.a1'],
  ['large/gpu-2', 'large.b1'],
  ['large.b3', 'large.b3'],
])('%s is the worker %s', (wanted, id) => {
  expect(findWorker(rows, wanted).worker).toBe(id);
});

test('the label of each worker finds it, and is its name if no other worker has this name', () => {
  const labels = rows.map((row) => labelOf(row, rows));
  expect(labels).toEqual(['gpu-1', 'default/gpu-2', 'large/gpu-2', 'large.b2', 'large.b3', 'gone']);
  for (const row of rows.slice(0, -1)) {
    expect(findWorker(rows, labelOf(row, rows))).toBe(row);
  }
});

test.each([
  ['gpu-2', /'gpu-2' is 2 workers[^]*default\/gpu-2[^]*large\/gpu-2/],
  ['large/twin', /is 2 workers[^]*large\.b2[^]*:8000[^]*large\.b3[^]*:8001/],
  ['gpu-9', /no worker 'gpu-9'[^]*gpu-1/],
  ['gone', /'gone' sends no heartbeats any more/],
])('%s does not name one worker, and the error lists the workers', (wanted, message) => {
  expect(() => findWorker(rows, wanted)).toThrow(message);
});

test('without workers, the error says so', () => {
  expect(() => findWorker([], 'gpu-1')).toThrow('no worker sends heartbeats');
});
