import type { RequestRecord } from '@sluice/contracts';
import { expect, test } from 'vitest';
import { RequestJoin } from './joined-requests.ts';
import { requestOf } from './ledger-fixture.ts';
import type { ReadLedger } from './read-requests.ts';
import { usageJson, usageNotes, usageTable } from './show-usage.ts';
import { UsageTally, type Grouping, type UsageReport } from './sum-usage.ts';

/** A request with this number of counted input tokens and this estimate. */
function counted(model: string, input: number, estimated: number): Partial<RequestRecord> {
  const usage = {
    input_tokens: input,
    cached_tokens: 0,
    output_tokens: 12,
    reasoning_tokens: 5,
  };
  return { model, usage, estimated_input_tokens: estimated };
}

const SINCE = Date.UTC(2026, 0, 2);
const WHOLE = { stream: 'sluice-ledger', exists: true, beginsAtMs: undefined, madeAtMs: SINCE };
const REFUSALS = { ...WHOLE, stream: 'sluice-refusals' };
const READ = { underWay: 0, unreadable: 0, ledger: WHOLE, refusals: REFUSALS };

function report(by: Grouping): UsageReport {
  const tally = new UsageTally(by);
  const join = new RequestJoin({ sinceMs: 0, onRequest: (request) => tally.add(request) });
  const requests = [
    counted('large', 1_100, 1_000),
    counted('small', 9, 10),
    counted('small', 9, 10),
    { model: 'tiny', outcome: 'refused', usage: null, delivered_tokens: 0 } as const,
  ];
  for (const [index, changes] of requests.entries()) {
    join.add(requestOf({ id: `request${index}`, ...changes }), SINCE);
  }
  join.finish(SINCE);
  return tally.report();
}

/** The first and the last cells of each row. */
const endsOf = (text: string) =>
  text.split('\n').map((row) => [row.split(/ {2,}/)[0], row.split(/ {2,}/).at(-1)]);

test('by model there is the error of the estimate, of each and of all together', () => {
  expect(endsOf(usageTable(report('model')))).toEqual([
    ['MODEL', 'ESTIMATE ERROR'],
    ['large', '+10.0 %'],
    ['small', '-10.0 %'],
    ['tiny', '-'],
    ['total', '+9.6 %'],
  ]);
});

test('by anything else there is none', () => {
  expect(endsOf(usageTable(report('organization')))).toEqual([
    ['ORGANIZATION', 'WASTED'],
    ['acme', '0'],
    ['total', '0'],
  ]);
  expect(usageJson(report('organization'), READ, SINCE)).toMatchObject({
    groups: [expect.not.objectContaining({ estimate_error: expect.anything() as unknown })],
  });
});

test('the JSON says the same, with where it begins and what it leaves out', () => {
  const read = { ...READ, underWay: 2, unreadable: 3 };
  expect(usageJson(report('model'), read, SINCE)).toMatchObject({
    since: '2026-01-02T00:00:00.000Z',
    by: 'model',
    groups: [
      {
        model: 'large',
        requests: 1,
        input_tokens: 1_100,
        estimate_error: expect.closeTo(0.1) as number,
      },
      {
        model: 'small',
        requests: 2,
        input_tokens: 18,
        estimate_error: expect.closeTo(-0.1) as number,
      },
      { model: 'tiny', requests: 1, refused: 1, estimate_error: null },
    ],
    total: { requests: 4, input_tokens: 1_118 },
    under_way: 2,
    unreadable_records: 3,
    ledger: {
      stream: 'sluice-ledger',
      exists: true,
      begins_at: null,
      made_at: '2026-01-02T00:00:00.000Z',
    },
    refusals: { stream: 'sluice-refusals', exists: true, begins_at: null },
  });
});

test('what the sums leave out is told, and nothing where they are whole', () => {
  const notesOf = (changes: Partial<ReadLedger>) => usageNotes({ ...READ, ...changes }, SINCE);
  expect(notesOf({})).toEqual([]);
  expect(notesOf({ underWay: 1 })).toEqual([expect.stringMatching(/^1 requests/)]);
  expect(notesOf({ unreadable: 1 })).toEqual([expect.stringMatching(/^1 records/)]);
});

test('a ledger that is not there is told, with what may be wrong', () => {
  const nowhere = {
    ...READ,
    ledger: { ...WHOLE, stream: 'acme-ledger', exists: false, madeAtMs: undefined },
  };
  expect(usageNotes(nowhere, SINCE)).toEqual([
    'there is no ledger acme-ledger yet; is --prefix right?',
  ]);
  expect(usageJson(report('day'), nowhere, SINCE)).toMatchObject({
    ledger: { stream: 'acme-ledger', exists: false, begins_at: null, made_at: null },
  });
});

test('records that were removed are told where some of them were asked for', () => {
  const cut = { ...READ, ledger: { ...WHOLE, beginsAtMs: SINCE } };
  expect(usageNotes(cut, SINCE)).toEqual([]);
  expect(usageNotes(cut, SINCE - 1)).toEqual([
    'the ledger begins at 2026-01-02 00:00 UTC: older records were removed',
  ]);
  expect(usageJson(report('day'), cut, SINCE)).toMatchObject({
    ledger: { begins_at: '2026-01-02T00:00:00.000Z' },
  });
});

test('a ledger that is younger than what was asked for is told, once', () => {
  expect(usageNotes(READ, SINCE)).toEqual([]);
  expect(usageNotes(READ, SINCE - 1)).toEqual([
    'the ledger was made at 2026-01-02 00:00 UTC: it knows nothing from before',
  ]);
  const cut = { ...READ, ledger: { ...WHOLE, beginsAtMs: SINCE + 60_000 } };
  expect(usageNotes(cut, SINCE - 1)).toEqual([
    'the ledger begins at 2026-01-02 00:01 UTC: older records were removed',
  ]);
});

test('refusals that were removed are told apart from the rest', () => {
  const older = { ...WHOLE, madeAtMs: SINCE - 1 };
  const cut = { ...READ, ledger: older, refusals: { ...REFUSALS, beginsAtMs: SINCE } };
  expect(usageNotes(cut, SINCE)).toEqual([]);
  expect(usageNotes(cut, SINCE - 1)).toEqual([
    'refused requests are known from 2026-01-02 00:00 UTC on only',
  ]);
  expect(usageJson(report('day'), cut, SINCE)).toMatchObject({
    ledger: { begins_at: null },
    refusals: { begins_at: '2026-01-02T00:00:00.000Z' },
  });
});

test('a missing stream of refusals adds no note', () => {
  const early = { ...READ, refusals: { ...REFUSALS, exists: false } };
  expect(usageNotes(early, SINCE)).toEqual([]);
});
