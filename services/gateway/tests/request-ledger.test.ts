import { connectBus, readOutcomes } from '@sluice/bus';
import {
  LedgerRecord,
  mintProcessId,
  subjectsUnder,
  type LedgerPlace,
  type RequestRecord,
} from '@sluice/contracts';
import { useLeakCheck, useNats, waitUntil } from '@sluice/devkit';
import { createLogger } from '@sluice/service';
import { describe, expect, test } from 'vitest';
import { openRequestLedger } from '../src/record/request-ledger.ts';
import { GatewayWithNeighbours } from './gateway-with-neighbours.ts';
import { keepLedger } from './keep-ledger.ts';
import { REFUSED } from './refused-admission.ts';
import { accepted, delta, failed, finished, started, usage } from './worker-frames.ts';

useLeakCheck();
const nats = useNats();
const logger = createLogger({ service: 'test', level: 'silent' });

async function recordsIn(place: LedgerPlace, organization?: string): Promise<LedgerRecord[]> {
  await using bus = await connectBus({ servers: [nats.url], name: 'reader', logger });
  const records: LedgerRecord[] = [];
  const query = { ledger: [place], sinceMs: 0 };
  const stored = readOutcomes(bus, organization === undefined ? query : { ...query, organization });
  for await (const { text } of stored) records.push(LedgerRecord.parse(JSON.parse(text)));
  return records;
}

/** Outcomes and the number of offers of each request. */
function summaryOf(records: readonly LedgerRecord[]): string[] {
  return records
    .map((record) => (record.kind === 'request' ? `${record.outcome} ${record.attempts}` : ''))
    .toSorted();
}

describe('a gateway', () => {
  test('stores requests without an offer apart from the other requests', async () => {
    await using parts = await GatewayWithNeighbours.start(nats.url);
    const { subjects } = parts;
    await waitUntil(() => parts.gateway.readiness().ready, { what: 'the gateway to be ready' });

    parts.onJob = (job) =>
      job.send(accepted(), started(), delta({ content: 'Hi' }), usage(), finished());
    await (await parts.complete()).text();
    await (await parts.request('/models')).text();

    parts.onJob = (job) => job.send(accepted(), failed('upstream_rejected', false));
    await (await parts.complete()).text();

    parts.onJob = (job) => job.send(accepted(), started(), delta({ content: 'Hi' }));
    const leaving = await parts.complete({ stream: true });
    await leaving.body?.cancel();

    await (await parts.complete({ temperature: 9 })).text();
    const { onAdmit } = parts;
    parts.onAdmit = () => Promise.resolve(REFUSED);
    await (await parts.complete()).text();
    parts.onAdmit = onAdmit;

    const outcomes = await waitUntil(
      async () => {
        const records = await recordsIn(subjects.outcomes);
        return records.length >= 4 && records;
      },
      { what: 'the records of offered requests' },
    );
    const refusals = await waitUntil(
      async () => {
        const records = await recordsIn(subjects.refusals);
        return records.length >= 2 && records;
      },
      { what: 'the records of refusals' },
    );
    expect(summaryOf(outcomes)).toEqual(['cancelled 1', 'completed 0', 'completed 1', 'failed 1']);
    expect(summaryOf(refusals)).toEqual(['refused 0', 'refused 0']);
    await waitUntil(
      () => JSON.stringify(parts.gateway.readiness().details['ledger']).includes('"stored":6'),
      { what: 'both to be counted' },
    );
  });
});

describe('an organization whose requests are refused again and again', () => {
  async function openLedger() {
    const subjects = subjectsUnder(`test${mintProcessId()}`);
    const opened = new AsyncDisposableStack();
    const bus = opened.use(await connectBus({ servers: [nats.url], name: 'gateway', logger }));
    keepLedger(opened, bus, subjects);
    const ledger = opened.use(openRequestLedger({ bus, subjects }));
    return { subjects, ledger, [Symbol.asyncDispose]: () => opened.disposeAsync() };
  }

  test('displaces its own records, and no records for bills', async () => {
    await using parts = await openLedger();
    const { ledger, subjects } = parts;
    const stored = (count: number) =>
      waitUntil(() => ledger.counts.stored === count, { what: `${count} records to be stored` });
    ledger.record(completed('bill', 'zeta'));
    await stored(1);
    // More than the whole ledger could hold.
    const count = 5_000;
    for (let number = 0; number < count; number += 1) ledger.record(refused(`refusal${number}`));
    await stored(count + 1);
    ledger.record(completed('later', 'zeta'));
    await stored(count + 2);
    const bills = await recordsIn(subjects.outcomes, 'zeta');
    expect(bills.map(({ id }) => id)).toEqual(['bill', 'later']);
    const refusals = await recordsIn(subjects.refusals);
    expect(refusals.at(-1)?.id).toBe(`refusal${count - 1}`);
    expect(refusals.length).toBeGreaterThan(100);
    expect(refusals.length).toBeLessThan(500);
  });

  test('takes no room from other records that wait to be stored', async () => {
    await using parts = await openLedger();
    const { ledger, subjects } = parts;
    for (let number = 0; number < 20_500; number += 1) ledger.record(refused(`refusal${number}`));
    ledger.record(completed('bill', 'zeta'));
    expect(ledger.counts).toEqual({ pending: 20_001, stored: 0, lost: 500 });
    await waitUntil(() => ledger.counts.pending === 0, { what: 'all to be stored' });
    expect(await recordsIn(subjects.outcomes)).toMatchObject([{ id: 'bill' }]);
  });
});

function completed(id: string, organization: string): RequestRecord {
  return {
    kind: 'request',
    id,
    gateway: 'gateway1',
    organization,
    project: 'app',
    credential: 'key1',
    operation: 'completions',
    model: 'large',
    stream: true,
    outcome: 'completed',
    code: null,
    attempts: 1,
    refused_offers: 0,
    target: 'default',
    estimated_input_tokens: 4,
    delivered_tokens: 12,
    usage: { input_tokens: 3, cached_tokens: 1, output_tokens: 12, reasoning_tokens: 5 },
    received_at_ms: 1_700_000_000_000,
    first_token_ms: 40,
    duration_ms: 200,
  };
}

function refused(id: string): RequestRecord {
  const nothing = { attempts: 0, delivered_tokens: 0, usage: null, first_token_ms: null };
  const outcome = { outcome: 'refused', code: 'rate_limit_exceeded' } as const;
  return { ...completed(id, 'acme'), ...nothing, ...outcome };
}
