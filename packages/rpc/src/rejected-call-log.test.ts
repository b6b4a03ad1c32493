import { createLogger } from '@sluice/service';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RejectedCallLog } from './rejected-call-log.ts';

let lines: string[] = [];
let refusals: RejectedCallLog;

beforeEach(() => {
  vi.useFakeTimers();
  lines = [];
  const destination = { write: (line: string) => void lines.push(line) };
  refusals = new RejectedCallLog(createLogger({ service: 'test', level: 'warn', destination }));
});

afterEach(() => {
  refusals[Symbol.dispose]();
  vi.useRealTimers();
});

const written = () => lines.map((line): unknown => JSON.parse(line));

it('writes a line at most once a minute, with how many were refused since the last', () => {
  for (const afterMs of [5, 1, 59_998, 1, 59_999, 140_000]) {
    vi.advanceTimersByTime(afterMs);
    refusals.add('catalog.ListAudit', '10.0.0.7:5');
  }
  expect(written()).toMatchObject([
    { level: 'warn', call: 'catalog.ListAudit', peer: '10.0.0.7:5', refused: 1 },
    { refused: 2 },
    { refused: 2 },
    { refused: 1 },
  ]);
});

it('logs the end of a burst when nothing follows, and then keeps quiet', () => {
  refusals.add('catalog.ListAudit', '10.0.0.7:5');
  refusals.add('catalog.ListAudit', '10.0.0.7:5');
  refusals.add('catalog.GetResource', '10.0.0.7:5');
  vi.advanceTimersByTime(59_999);
  expect(written()).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(written()).toMatchObject([{ refused: 1 }, { call: 'catalog.GetResource', refused: 2 }]);
  vi.advanceTimersByTime(180_000);
  expect(written()).toHaveLength(2);
  expect(vi.getTimerCount()).toBe(0);
});

it('logs the rest when it is disposed of, and waits for nothing more', () => {
  refusals.add('catalog.ListAudit', '10.0.0.7:5');
  refusals.add('catalog.ListAudit', '10.0.0.7:5');
  refusals[Symbol.dispose]();
  expect(written()).toMatchObject([{ refused: 1 }, { refused: 1 }]);
  expect(vi.getTimerCount()).toBe(0);
});
