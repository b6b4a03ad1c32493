import { setTimeout as delay } from 'node:timers/promises';
import { RpcError } from '@sluice/rpc';
import {
  childProcesses,
  cpuMicroseconds,
  endedChildrenMicroseconds,
  machineMicroseconds,
} from '../measure/process-usage.ts';
import { percentile } from '../measure/statistics.ts';
import type { ServiceProgram } from '../programs/service-program.ts';
import { followRequests } from './follow-requests.ts';
import type { LedgerLoad } from './ledger-load.ts';
import type { UsageStage } from './usage-stage.ts';

export interface FlowOptions {
  /** Requests a second. Each has two records. */
  readonly rate: number;
  readonly seconds: number;
  /** How long usage is stopped. */
  readonly stoppedSeconds: number;
}

/** What was measured while records went from the ledger into the tables. */
export interface MeasuredFlow {
  readonly requests_per_second: number;
  /** CPU time of a record, in microseconds. The database is null if it is a part of the service. */
  readonly service_us: number;
  readonly database_us: number | null;
  /** As usage reports it. */
  readonly lag_s: { readonly median: number; readonly most: number };
  /** From the end of a request to its line in `sluice requests --follow`. */
  readonly follow_ms: { readonly median: number; readonly p99: number; readonly unseen: number };
  /** Processors that other programs used meanwhile. */
  readonly foreign_cores: number;
  readonly catch_up: { readonly records: number; readonly per_second: number };
  /** Records that the tables lack, or have twice. */
  readonly wrong_records: number;
}

const WARM_UP_SECONDS = 3;
const SAMPLE_MS = 250;
const CAUGHT_UP_WITHIN_MS = 600_000;
const NO_LAG_MS = 50;

/** Measures usage under a steady load, and after it was stopped for a while. */
export async function measureFlow(
  stage: UsageStage,
  service: ServiceProgram,
  { load, rate, seconds, stoppedSeconds }: FlowOptions & { readonly load: LedgerLoad },
  say: (line: string) => void,
): Promise<MeasuredFlow> {
  const before = await countRecords(stage);
  say(`${rate} requests a second, for ${seconds} s …`);
  const steady = await measureSteady(stage, service, load, { rate, seconds });
  await load.settled();
  await caughtUp(stage);

  say(`usage is stopped for ${stoppedSeconds} s …`);
  await service.stop();
  const stoppedFrom = load.requests;
  await load.run(rate, stoppedSeconds);
  await load.settled();
  const records = (load.requests - stoppedFrom) * RECORDS_OF_REQUEST;
  say('usage catches up …');
  await stage.startUsage();
  const catchingUpSince = performance.now();
  await caughtUp(stage);
  const catchUpMs = performance.now() - catchingUpSince;
  const counted = (await countRecords(stage)) - before;
  return {
    ...steady,
    catch_up: { records, per_second: records / (catchUpMs / 1_000) },
    wrong_records: Math.abs(counted - load.requests * RECORDS_OF_REQUEST),
  };
}

/** Its own, and that of its attempt. */
const RECORDS_OF_REQUEST = 2;

async function measureSteady(
  stage: UsageStage,
  service: ServiceProgram,
  load: LedgerLoad,
  { rate, seconds }: Pick<FlowOptions, 'rate' | 'seconds'>,
): Promise<Omit<MeasuredFlow, 'catch_up' | 'wrong_records'>> {
  await using followed = followRequests(stage);
  await load.run(rate, WARM_UP_SECONDS);
  load.marks.clear();
  const cpu = () => ({
    service: cpuMicroseconds(service.pid),
    database: databaseMicroseconds(stage.filled.databasePid),
    known: cpuMicroseconds(stage.nats.pid) + cpuMicroseconds(process.pid),
    machine: machineMicroseconds(),
  });
  const [cpuBefore, requestsBefore, startedAt] = [cpu(), load.requests, performance.now()];
  const sampling = new AbortController();
  const lags = sampleLags(stage, sampling.signal);
  await load.run(rate, seconds);
  const [cpuAfter, elapsedMs] = [cpu(), performance.now() - startedAt];
  const requests = load.requests - requestsBefore;
  const used = (part: keyof typeof cpuAfter) => cpuAfter[part] - cpuBefore[part];
  sampling.abort();
  await load.settled();
  await caughtUp(stage);
  // The follower asks three times a second.
  await delay(1_000);
  const waits = [...load.marks].map(([id, at]) => (followed.shownAt.get(id) ?? Infinity) - at);
  const seen = waits.filter(Number.isFinite);
  const lag = await lags;
  const hasServer = stage.filled.databasePid !== null;
  const perRecord = (microseconds: number) => microseconds / (requests * RECORDS_OF_REQUEST);
  const foreign = used('machine') - used('known') - used('service') - used('database');
  return {
    requests_per_second: requests / (elapsedMs / 1_000),
    service_us: perRecord(used('service')),
    database_us: hasServer ? perRecord(used('database')) : null,
    lag_s: { median: percentile(lag, 0.5), most: Math.max(...lag) },
    follow_ms: {
      median: percentile(seen, 0.5),
      p99: percentile(seen, 0.99),
      unseen: waits.length - seen.length,
    },
    foreign_cores: Math.max(0, foreign) / 1_000 / elapsedMs,
  };
}

/** CPU time of the server and of the processes that it has started. */
function databaseMicroseconds(pid: number | null): number {
  if (pid === null) return 0;
  const children = childProcesses(pid).reduce((sum, child) => sum + cpuMicroseconds(child), 0);
  return cpuMicroseconds(pid) + endedChildrenMicroseconds(pid) + children;
}

async function sampleLags({ client }: UsageStage, signal: AbortSignal): Promise<number[]> {
  const lags: number[] = [];
  while (!signal.aborted) {
    const { freshness } = await client.lastUses({ credentials: [] });
    if (freshness?.lagSeconds !== undefined) lags.push(freshness.lagSeconds);
    await delay(SAMPLE_MS, undefined, { signal }).catch(() => undefined);
  }
  return lags;
}

/** Waits until everything is in the tables. */
async function caughtUp({ client }: UsageStage): Promise<void> {
  const giveUpAt = performance.now() + CAUGHT_UP_WITHIN_MS;
  for (;;) {
    if ((await unreadMessages(client)) === 0) return;
    if (performance.now() > giveUpAt) throw new Error('usage does not catch up');
    await delay(NO_LAG_MS);
  }
}

/** Undefined while usage cannot be reached, as after its restart. */
async function unreadMessages(client: UsageStage['client']): Promise<number | undefined> {
  try {
    const { freshness } = await client.lastUses({ credentials: [] });
    return freshness?.unreadMessages;
  } catch (error) {
    if (error instanceof RpcError && error.code === 'unavailable') return undefined;
    throw error;
  }
}

async function countRecords({ client }: UsageStage): Promise<number> {
  const { total } = await client.sumUsage({});
  return (total?.requests ?? 0) + (total?.attempts ?? 0);
}
