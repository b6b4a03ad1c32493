import { expect, test } from 'vitest';
import type { Measurement } from './measurement.ts';
import { keepsAll, renderNeighbours, reportKind } from './report-neighbours.ts';

const KIND = 'slow headers';

function measurement(
  round: number,
  load: Measurement['load'],
  p99: number,
  more: Partial<Measurement> = {},
): Measurement {
  return {
    round,
    kind: KIND,
    load,
    bytes: 1_024,
    connections: 1,
    statuses: { 200: 1 },
    requestsMs: [p99],
    gapsMs: [20],
    failed: 0,
    blocksMs: { gateway: 5, worker: 8 },
    foreignCores: 0,
    ...more,
  };
}

const round = (number: number, harmless: number, hostile: number, more?: Partial<Measurement>) => [
  measurement(number, 'harmless', harmless),
  measurement(number, 'hostile', hostile, more),
];

test('a slow round does not change a ratio', () => {
  const report = reportKind(KIND, [...round(1, 10, 12), ...round(2, 40, 48), ...round(3, 10, 90)]);
  expect(report.requests).toEqual({ harmless_p99_ms: 10, hostile_p99_ms: 48, ratio: 1.2 });
  expect(keepsAll([report])).toBe(true);
});

test('a kind that delays others by more than half in most rounds breaks the promise', () => {
  const report = reportKind(KIND, [...round(1, 10, 16), ...round(2, 10, 16), ...round(3, 10, 10)]);
  expect(report).toMatchObject({ keeps_pace: false, keeps_loops: true });
  expect(keepsAll([report])).toBe(false);
});

test('rounds in which other programs used the processors do not count for delays', () => {
  const busy = { foreignCores: 1_000 };
  const mixed = reportKind(KIND, [...round(1, 10, 90, busy), ...round(2, 10, 12)]);
  expect(mixed).toMatchObject({ rounds: 2, disturbed: 1, keeps_pace: true });
  expect(mixed.requests.ratio).toBe(1.2);
  expect(reportKind(KIND, round(1, 10, 90, busy)).keeps_pace).toBeUndefined();
});

test('one blocked loop in any round breaks the promise, and the process is named', () => {
  const blocked = { blocksMs: { gateway: 5, worker: 51 } };
  const report = reportKind(KIND, [...round(1, 10, 10, blocked), ...round(2, 10, 10)]);
  expect(report).toMatchObject({ block_ms: 51, blocked: 'worker', keeps_loops: false });
  expect(renderNeighbours([report])).toContain(
    `✗ no kind blocks an event loop for more than 50 ms: ${KIND}`,
  );
});

test('one innocent request that fails breaks the promise', () => {
  expect(keepsAll([reportKind(KIND, round(1, 10, 10, { failed: 1 }))])).toBe(false);
});
