import { connectBus, openOutcomeLedger } from '@sluice/bus';
import { subjectsUnder, type AttemptRecord, type RequestRecord } from '@sluice/contracts';
import { waitUntil } from '@sluice/devkit';
import { connectUsage, type UsageClient } from '@sluice/rpc';
import { readUsageSettings } from '../src/config.ts';
import { start, type RunningUsage } from '../src/start.ts';
import { logger } from './describe-databases.ts';

export const ADMIN_TOKEN = 'operator-token-for-tests';

export interface UsageUnderTest extends AsyncDisposable {
  readonly service: RunningUsage;
  readonly client: UsageClient;
}

/** A usage service in this process, on a port of its own, with a client. */
export async function startUsage(
  environment: Readonly<Record<string, string>>,
): Promise<UsageUnderTest> {
  const settings = readUsageSettings({
    PORT: '0',
    ADMIN_TOKENS: `operator:${ADMIN_TOKEN}`,
    ...environment,
  });
  await using starting = new AsyncDisposableStack();
  const service = starting.use(await start(settings, logger));
  const client = starting.use(connectUsage({ address: service.address ?? '', token: ADMIN_TOKEN }));
  const running = starting.move();
  return { service, client, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** Writes records as gateways and workers do. */
export interface LedgerWriter extends AsyncDisposable {
  request(record: RequestRecord): void;
  refusal(record: RequestRecord): void;
  attempt(record: AttemptRecord): void;
  /** Waits until everything is stored. */
  settled(): Promise<void>;
}

export async function openLedgerWriter(natsUrl: string, prefix: string): Promise<LedgerWriter> {
  await using starting = new AsyncDisposableStack();
  const bus = starting.use(await connectBus({ servers: [natsUrl], name: 'ledger-writer', logger }));
  const subjects = subjectsUnder(prefix);
  for (const { stream, subjects: stored } of subjects.ledger) {
    starting.use(
      bus.keepLedgerStream({
        stream,
        subjects: stored(),
        replicas: 1,
        maxAgeMs: 3_600_000,
        maxBytes: 100_000_000,
      }),
    );
  }
  const outcomes = starting.use(
    openOutcomeLedger<RequestRecord | AttemptRecord>({ bus, place: subjects.outcomes }),
  );
  const refusals = starting.use(
    openOutcomeLedger<RequestRecord>({ bus, place: subjects.refusals }),
  );
  const running = starting.move();
  return {
    request: (record) => outcomes.record(record),
    refusal: (record) => refusals.record(record),
    attempt: (record) => outcomes.record(record),
    settled: async () => {
      await waitUntil(() => outcomes.counts.pending + refusals.counts.pending === 0, {
        what: 'the records to be stored',
        timeoutMs: 30_000,
      });
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
