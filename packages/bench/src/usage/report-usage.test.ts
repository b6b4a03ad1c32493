import { expect, test } from 'vitest';
import { brokenPromises, renderUsage, type UsageReport } from './report-usage.ts';

function reportOf(flow: Partial<UsageReport['flow']> = {}, median = 900): UsageReport {
  return {
    database: 'postgres',
    records: 1_000,
    filled: { fillSeconds: 3, cost: { service: '20', database: '30' } },
    questions: [
      {
        question: 'Who?',
        command: 'usage',
        withinMs: 1_000,
        ms: { median, least: 800, most: 1_200, count: 5 },
      },
    ],
    flow: {
      requests_per_second: 5_000,
      service_us: 40,
      database_us: 40,
      lag_s: { median: 0.5, most: 2 },
      follow_ms: { median: 300, p99: 1_000, unseen: 0 },
      foreign_cores: 0,
      catch_up: { records: 100, per_second: 50 },
      wrong_records: 0,
      ...flow,
    },
  };
}

test('a run within all limits keeps every promise', () => {
  expect(brokenPromises(reportOf())).toEqual([]);
  expect(renderUsage(reportOf())).not.toContain('BROKEN');
});

test.each([
  [{ service_us: 41 }, 'a record costs the service too much'],
  [{ database_us: 41 }, 'a record costs the database too much'],
  [{ wrong_records: 1, foreign_cores: 64 }, 'records were lost or counted twice'],
  [{ lag_s: { median: 0, most: 2.1 } }, 'usage is too far behind the ledger'],
  [{ follow_ms: { median: 1, p99: 1, unseen: 1 } }, 'requests --follow is late'],
])('%j breaks a promise', (flow, promise) => {
  expect(brokenPromises(reportOf(flow))).toEqual([promise]);
});

test('a slow question breaks a promise', () => {
  expect(brokenPromises(reportOf({}, 1_001))).toEqual(['too slow: Who?']);
});

test('times are not judged while other programs keep the processors busy', () => {
  const flow = { foreign_cores: 64, lag_s: { median: 9, most: 9 } };
  expect(brokenPromises(reportOf(flow))).toEqual([]);
});
