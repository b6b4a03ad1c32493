import { setTimeout as delay } from 'node:timers/promises';
import { LOOPBACK, findFreePort } from '@sluice/backing';
import { PauseWitness } from '@sluice/machine';
import { parseOptions, wholeNumber, type Command } from '../command-line.ts';
import { startDriver, type Driver } from '../driver/start-driver.ts';
import { cpuMicroseconds, describeMachine } from '../measure/process-usage.ts';
import { percentile, summarize, type Summary } from '../measure/statistics.ts';
import { whileRunning } from '../measure/timings.ts';
import { startBackingServer } from '../programs/backing-servers.ts';
import { startServiceProgram } from '../programs/service-program.ts';
import { formatNumber, table } from '../report/table.ts';
import type { DecisionState, QuotaOrder, RedisOrder } from './quota-order.ts';

const ROUNDS = 3;
const SECONDS = 3;
const SETTLE_MS = 700;
const IN_FLIGHT = 512;
const TENANTS = { hot: 1, zipf: 10_000 } as const;
type Tenancy = keyof typeof TENANTS;
const TENANCIES = ['hot', 'zipf'] as const satisfies readonly Tenancy[];
const TITLES: Readonly<Record<Tenancy, string>> = {
  hot: 'one hot organization',
  zipf: '10,000 organizations (Zipf)',
};
const COALESCED = 32;

/** One measurement: what was decided, and what it cost whom. */
interface Rate {
  readonly perSecond: number;
  readonly redisMicroseconds: number;
  readonly quotaMicroseconds: number;
  readonly driverCores: number;
  readonly undecided: number;
  /** Without a decision while the machine itself stood still: nobody's fault here. */
  readonly undecidedInPauses: number;
  readonly latencyMs: readonly number[];
  readonly leftOutShare: number;
}

interface Measured {
  readonly bare: Rate[];
  readonly bareCoalesced: Rate[];
  readonly quota: Rate[];
  readonly half: Rate[];
}

export const quotaCommand: Command = async (parameters, { cleanUp, say, print }) => {
  const options = parseOptions(parameters, {
    rounds: { type: 'string', default: String(ROUNDS) },
    json: { type: 'boolean', default: false },
  });
  const rounds = wholeNumber('--rounds', options.rounds, { least: 1, most: 100 });
  say('starting Redis and the quota service …');
  const redis = cleanUp.use(await startBackingServer('redis'));
  const port = await findFreePort();
  const quota = cleanUp.use(
    await startServiceProgram('quota', {
      HOST: LOOPBACK,
      PORT: String(port),
      REDIS_URL: redis.url,
    }),
  );
  const bare = cleanUp.use(
    startDriver<RedisOrder, DecisionState>(new URL('redis-process.ts', import.meta.url)),
  );
  const client = cleanUp.use(
    startDriver<QuotaOrder, DecisionState>(new URL('quota-process.ts', import.meta.url)),
  );
  const witness = cleanUp.use(await PauseWitness.start());
  const measuring = { redis: redis.pid, quota: quota.pid, witness };
  const address = `${LOOPBACK}:${port}`;
  const measured: Record<Tenancy, Measured> = {
    hot: { bare: [], bareCoalesced: [], quota: [], half: [] },
    zipf: { bare: [], bareCoalesced: [], quota: [], half: [] },
  };
  const bareOrder = (tenancy: Tenancy, together: number): RedisOrder => ({
    port: redis.port,
    organizations: TENANTS[tenancy],
    connections: 4,
    pipelined: 64,
    together,
  });
  for (let round = 1; round <= rounds; round += 1) {
    for (const tenancy of TENANCIES) {
      const organizations = TENANTS[tenancy];
      const into = measured[tenancy];
      say(`round ${round}/${rounds}  ${TITLES[tenancy]}`);
      into.bare.push(await measure(bare, bareOrder(tenancy, 1), measuring));
      into.bareCoalesced.push(await measure(bare, bareOrder(tenancy, COALESCED), measuring));
      const full = await measure(
        client,
        { address, organizations, pattern: { kind: 'in flight', count: IN_FLIGHT } },
        measuring,
      );
      into.quota.push(full);
      const half = Math.floor(full.perSecond / 2);
      into.half.push(
        await measure(
          client,
          { address, organizations, pattern: { kind: 'arrivals', perSecond: half } },
          measuring,
        ),
      );
    }
  }
  const report = { machine: describeMachine(), rounds, ...summarizeQuota(measured) };
  print(options.json ? JSON.stringify(report, undefined, 2) : renderQuota(report));
  return report.promises.some(({ kept }) => !kept) ? 1 : 0;
};

interface Measuring {
  readonly redis: number;
  readonly quota: number;
  readonly witness: PauseWitness;
}

/** What piled up in a pause is caught up with in as long again, at half load. */
const AFTERMATH = 1;

async function measure<Order>(
  driver: Driver<Order, DecisionState>,
  order: Order,
  { redis, quota, witness }: Measuring,
): Promise<Rate> {
  await driver.start(order);
  await delay(SETTLE_MS);
  const before = await driver.look();
  const startedAt = performance.now();
  const redisBefore = cpuMicroseconds(redis);
  const quotaBefore = cpuMicroseconds(quota);
  await delay(SECONDS * 1_000);
  const after = await driver.look();
  const seconds = (performance.now() - startedAt) / 1_000;
  const pauses = witness.look().withAftermath(AFTERMATH);
  const admissions = whileRunning(after.admissions, pauses);
  const undecided = whileRunning(after.undecided, pauses).tookMs.length;
  const decided = after.decided - before.decided;
  const rate = {
    perSecond: decided / seconds,
    redisMicroseconds: (cpuMicroseconds(redis) - redisBefore) / decided,
    quotaMicroseconds: (cpuMicroseconds(quota) - quotaBefore) / decided,
    driverCores: (after.cpuMicroseconds - before.cpuMicroseconds) / (seconds * 1_000_000),
    undecided,
    undecidedInPauses: after.undecided.tookMs.length - undecided,
    latencyMs: admissions.tookMs,
    leftOutShare: admissions.leftOutShare,
  };
  await driver.stop();
  return rate;
}

interface TenancyReport {
  readonly bare_per_redis_core: Summary | undefined;
  readonly bare_per_second: Summary | undefined;
  readonly bare_coalesced_per_redis_core: Summary | undefined;
  readonly quota_per_quota_core: Summary | undefined;
  readonly quota_per_second: Summary | undefined;
  readonly quota_redis_us: Summary | undefined;
  readonly half_load_per_second: Summary | undefined;
  readonly half_load_p50_ms: Summary | undefined;
  readonly half_load_p99_ms: Summary | undefined;
  readonly half_load_left_out: Summary | undefined;
  readonly undecided: number;
  readonly undecided_in_pauses: number;
}

interface QuotaReport {
  readonly tenancies: Readonly<Record<Tenancy, TenancyReport>>;
  readonly promises: readonly {
    readonly promise: string;
    readonly value: number;
    readonly limit: string;
    readonly kept: boolean;
  }[];
}

function summarizeQuota(measured: Readonly<Record<Tenancy, Measured>>): QuotaReport {
  const tenancies = { hot: summarizeOne(measured.hot), zipf: summarizeOne(measured.zipf) };
  const ratio = ({ quota_per_quota_core, bare_per_redis_core }: TenancyReport) =>
    (quota_per_quota_core?.median ?? Number.NaN) / (bare_per_redis_core?.median ?? Number.NaN);
  const hot = ratio(tenancies.hot);
  const zipf = ratio(tenancies.zipf);
  const p99 = Math.max(
    ...TENANCIES.map((tenancy) => tenancies[tenancy].half_load_p99_ms?.median ?? Number.NaN),
  );
  const undecided = tenancies.hot.undecided + tenancies.zipf.undecided;
  return {
    tenancies,
    promises: [
      {
        promise: 'hot: decisions per quota core over single calls per Redis core',
        value: hot,
        limit: 'more than 1 ×',
        kept: hot > 1,
      },
      {
        promise: 'Zipf: decisions per quota core over single calls per Redis core',
        value: zipf,
        limit: 'at least 0.5 ×',
        kept: zipf >= 0.5,
      },
      { promise: 'p99 at half load, ms', value: p99, limit: 'under 5 ms', kept: p99 < 5 },
      {
        promise: 'without a decision in time',
        value: undecided,
        limit: 'none',
        kept: undecided === 0,
      },
    ],
  };
}

function summarizeOne({ bare, bareCoalesced, quota, half }: Measured): TenancyReport {
  const core = (microseconds: number) => 1_000_000 / microseconds;
  return {
    bare_per_redis_core: summarize(bare.map((rate) => core(rate.redisMicroseconds))),
    bare_per_second: summarize(bare.map(({ perSecond }) => perSecond)),
    bare_coalesced_per_redis_core: summarize(
      bareCoalesced.map((rate) => core(rate.redisMicroseconds)),
    ),
    quota_per_quota_core: summarize(quota.map((rate) => core(rate.quotaMicroseconds))),
    quota_per_second: summarize(quota.map(({ perSecond }) => perSecond)),
    quota_redis_us: summarize(quota.map(({ redisMicroseconds }) => redisMicroseconds)),
    half_load_per_second: summarize(half.map(({ perSecond }) => perSecond)),
    half_load_p50_ms: summarize(half.map(({ latencyMs }) => percentile(latencyMs, 0.5))),
    half_load_p99_ms: summarize(half.map(({ latencyMs }) => percentile(latencyMs, 0.99))),
    half_load_left_out: summarize(half.map(({ leftOutShare }) => leftOutShare * 100)),
    undecided: sumOf([...quota, ...half], ({ undecided }) => undecided),
    undecided_in_pauses: sumOf([...quota, ...half], (rate) => rate.undecidedInPauses),
  };
}

function sumOf(rates: readonly Rate[], pick: (rate: Rate) => number): number {
  return rates.reduce((sum, rate) => sum + pick(rate), 0);
}

function renderQuota({ tenancies, promises }: QuotaReport): string {
  const row = (title: string, pick: (report: TenancyReport) => Summary | undefined, digits = 0) => [
    `  ${title}`,
    ...TENANCIES.map((tenancy) => {
      const summary = pick(tenancies[tenancy]);
      if (summary === undefined) return '–';
      const [middle, least, most] = [summary.median, summary.least, summary.most].map((value) =>
        formatNumber(value, digits),
      );
      return `${middle} [${least}–${most}]`;
    }),
  ];
  const figures = table([
    ['Decisions on four limits', ...TENANCIES.map((tenancy) => TITLES[tenancy])],
    row(
      'Redis alone, one a call: decisions/s per Redis core',
      (report) => report.bare_per_redis_core,
    ),
    row('  in this run, /s', (report) => report.bare_per_second),
    row(
      `Redis alone, ${COALESCED} a call: decisions/s per Redis core`,
      (report) => report.bare_coalesced_per_redis_core,
    ),
    row('quota over gRPC: decisions/s per quota core', (report) => report.quota_per_quota_core),
    row('  in this run, /s', (report) => report.quota_per_second),
    row('  CPU of Redis per decision, µs', (report) => report.quota_redis_us, 2),
    row('at half of that load: /s', (report) => report.half_load_per_second),
    row('  p50, ms', (report) => report.half_load_p50_ms, 2),
    row('  p99, ms', (report) => report.half_load_p99_ms, 2),
    row('  left out: the machine stood still, %', (report) => report.half_load_left_out),
    ['  without a decision in time', ...TENANCIES.map((name) => String(tenancies[name].undecided))],
    [
      '  the same while the machine stood still',
      ...TENANCIES.map((name) => String(tenancies[name].undecided_in_pauses)),
    ],
  ]);
  const kept = promises.map(({ promise, value, limit, kept: isKept }) => [
    `  ${isKept ? '✓' : '✗'} ${promise}`,
    formatNumber(value, 2),
    limit,
  ]);
  return `${figures}\n\n${table([['Promises', 'measured', 'promised'], ...kept])}`;
}
