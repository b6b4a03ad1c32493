import type { Bus } from '@sluice/bus';
import { subjectsUnder, type LedgerRecord } from '@sluice/contracts';
import { expect, test } from 'vitest';
import type { JoinedRequest } from './held-request.ts';
import { attemptOf, requestOf } from './ledger-fixture.ts';
import { readRequests } from './read-requests.ts';

type LedgerQuery = Parameters<Bus['readLedger']>[0];

const LEDGER = { exists: true, beginsAtMs: 7, madeAtMs: 5 };
const REFUSALS = { exists: true, beginsAtMs: 8, madeAtMs: 6 };

interface Texts {
  readonly outcomes?: readonly string[];
  readonly refusals?: readonly string[];
}

/** Reads streams that contain these texts. Returns the result and the queries to the streams. */
async function readOf({ outcomes = [], refusals = [] }: Texts, organization?: string) {
  const asked: LedgerQuery[] = [];
  const bus = {
    readLedger: (query: LedgerQuery) => {
      asked.push(query);
      return (async function* () {
        for (const text of query.stream === 'sluice-refusals' ? refusals : outcomes) {
          yield await Promise.resolve({ text, storedAtMs: requestOf().received_at_ms });
        }
      })();
    },
    ledgerExtent: (stream) => Promise.resolve(stream === 'sluice-refusals' ? REFUSALS : LEDGER),
  } as Partial<Bus> as Bus;
  const sinceMs = requestOf().received_at_ms;
  const requests: JoinedRequest[] = [];
  const read = await readRequests(bus, subjectsUnder('sluice'), {
    organization,
    sinceMs,
    nowMs: sinceMs,
    onRequest: (request) => void requests.push(request),
  });
  return { read, requests, asked, sinceMs };
}

const lines = (...records: LedgerRecord[]) => records.map((record) => JSON.stringify(record));

test('records that cannot be read are counted, and cost no other', async () => {
  const texts = ['{"kind":"request"', '{"kind":"of tomorrow"}', ...lines(requestOf(), attemptOf())];
  const { read, requests } = await readOf({ outcomes: texts, refusals: ['{}'] });
  expect(requests).toMatchObject([{ attempts: 1 }]);
  expect(read).toMatchObject({ underWay: 0, unreadable: 3 });
});

test('the ledger is read from a little earlier, for clocks that differ, and no request is added by it', async () => {
  const early = requestOf({ id: 'early', received_at_ms: requestOf().received_at_ms - 1 });
  const { requests, asked, sinceMs } = await readOf({ outcomes: lines(early, requestOf()) });
  expect(requests).toHaveLength(1);
  expect(asked).toEqual([
    { stream: 'sluice-ledger', subjects: 'sluice.ledger.>', sinceMs: sinceMs - 60_000 },
    { stream: 'sluice-refusals', subjects: 'sluice.refusals.*', sinceMs: sinceMs - 60_000 },
  ]);
});

test('of one organization only its own records are asked for', async () => {
  const { asked } = await readOf({}, 'acme');
  expect(asked).toMatchObject([
    { subjects: 'sluice.ledger.*.acme' },
    { subjects: 'sluice.refusals.acme' },
  ]);
});

test('where each stream begins is read with its name', async () => {
  const { read } = await readOf({});
  expect(read.ledger).toEqual({ stream: 'sluice-ledger', ...LEDGER });
  expect(read.refusals).toEqual({ stream: 'sluice-refusals', ...REFUSALS });
});

test('refusals count wherever they are, each once', async () => {
  const refusalOf = (id: string) => requestOf({ id, outcome: 'refused', attempts: 0, usage: null });
  const { requests } = await readOf({
    outcomes: lines(refusalOf('of an earlier version'), requestOf()),
    refusals: lines(refusalOf('one'), refusalOf('two'), refusalOf('one')),
  });
  expect(requests.map(({ outcome }) => outcome)).toEqual([
    'refused',
    'completed',
    'refused',
    'refused',
  ]);
});
