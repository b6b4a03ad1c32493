import { setTimeout as delay } from 'node:timers/promises';
import { PauseWitness } from '@sluice/devkit/pauses';
import { LOOPBACK, findFreePort } from '@sluice/servers';
import { measuringOptions, measuringOptionsHelp, type Command } from '../command-line.ts';
import { startDriver, type Driver } from '../driver/start-driver.ts';
import { describeMachine } from '../measure/process-usage.ts';
import { startBackingServer } from '../programs/backing-servers.ts';
import { startServiceProgram } from '../programs/service-program.ts';
import { measure, type Measuring } from './measure-quota.ts';
import type { DecisionState, Pattern, QuotaOptions, RedisOptions } from './quota-options.ts';
import {
  COALESCED,
  TENANCIES,
  TENANCY_TITLES,
  renderQuota,
  summarizeQuota,
  type Measured,
  type Tenancy,
} from './report-quota.ts';

const ROUNDS = 5;
const AT_ONCE: Pattern = { kind: 'in flight', count: 512 };
/** Calls in flight on each connection when Redis is measured alone. */
const PIPELINED: Pattern = { kind: 'in flight', count: 64 };
/**
 * Time for just-in-time compilation, which takes processor time from the measured processes. The code paths of full
 * load are compiled first. At half load the batches are smaller, and some paths are compiled again.
 */
const WARM_UP_MS = { full: 10_000, half: 20_000, bare: 5_000 } as const;
/** Number of organizations. */
const TENANTS: Readonly<Record<Tenancy, number>> = { hot: 1, zipf: 10_000 };

export const quotaCommand: Command = {
  help: `
Usage: npm run bench -- quota [OPTIONS]

Measures decisions on limits, compared with Redis alone.

Options:
${measuringOptionsHelp(ROUNDS)}
`,
  run: async (parameters, { cleanUp, say, print }) => {
    const { rounds, json } = measuringOptions(parameters, ROUNDS);
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
      startDriver<RedisOptions, DecisionState>(new URL('redis-process.ts', import.meta.url)),
    );
    const client = cleanUp.use(
      startDriver<QuotaOptions, DecisionState>(new URL('quota-process.ts', import.meta.url)),
    );
    const witness = cleanUp.use(await PauseWitness.start({ noticeSlowness: true }));
    const bench: QuotaBench = {
      bare,
      client,
      redisPort: redis.port,
      address: `${LOOPBACK}:${port}`,
      measuring: { redis: redis.pid, quota: quota.pid, witness },
    };
    for (const tenancy of TENANCIES) {
      say(`warming up with ${TENANCY_TITLES[tenancy]} …`);
      await warmUp(bench, tenancy);
    }
    const measured: Record<Tenancy, Measured> = {
      hot: { bare: [], bareCoalesced: [], bareHalf: [], quota: [], half: [] },
      zipf: { bare: [], bareCoalesced: [], bareHalf: [], quota: [], half: [] },
    };
    for (let round = 1; round <= rounds; round += 1) {
      for (const tenancy of TENANCIES) {
        say(`round ${round}/${rounds}  ${TENANCY_TITLES[tenancy]}`);
        await measureRound(bench, tenancy, measured[tenancy]);
      }
    }
    const report = { machine: describeMachine(), rounds, ...summarizeQuota(measured) };
    print(json ? JSON.stringify(report, undefined, 2) : renderQuota(report));
    return report.promises.some(({ kept, isAim }) => kept === false && !isAim) ? 1 : 0;
  },
};

interface QuotaBench {
  /** Load on Redis itself. */
  readonly bare: Driver<RedisOptions, DecisionState>;
  /** Load on the quota service. */
  readonly client: Driver<QuotaOptions, DecisionState>;
  readonly redisPort: number;
  /** Address of the quota service. */
  readonly address: string;
  readonly measuring: Measuring;
}

/** Warms up with each load that will be measured. */
async function warmUp(bench: QuotaBench, tenancy: Tenancy): Promise<void> {
  const { bare, client } = bench;
  await client.start(quotaOptions(bench, tenancy, AT_ONCE));
  await delay(WARM_UP_MS.full);
  const { decided } = await client.stop();
  const half = arrivals(((decided / WARM_UP_MS.full) * 1_000) / 2);
  await client.start(quotaOptions(bench, tenancy, half));
  await delay(WARM_UP_MS.half);
  await client.stop();
  await bare.start(bareOptions(bench, tenancy));
  await delay(WARM_UP_MS.bare);
  await bare.stop();
}

/** Measures Redis alone and the quota service, each at full and at half load. */
async function measureRound(bench: QuotaBench, tenancy: Tenancy, into: Measured): Promise<void> {
  const { bare, client, measuring } = bench;
  const alone = await measure(bare, bareOptions(bench, tenancy), measuring);
  into.bare.push(alone);
  const coalesced = bareOptions(bench, tenancy, { together: COALESCED });
  into.bareCoalesced.push(await measure(bare, coalesced, measuring));
  const halfAlone = bareOptions(bench, tenancy, { pattern: arrivals(alone.perSecond / 2) });
  into.bareHalf.push(await measure(bare, halfAlone, measuring));
  const full = await measure(client, quotaOptions(bench, tenancy, AT_ONCE), measuring);
  into.quota.push(full);
  const half = quotaOptions(bench, tenancy, arrivals(full.perSecond / 2));
  into.half.push(await measure(client, half, measuring));
}

function quotaOptions({ address }: QuotaBench, tenancy: Tenancy, pattern: Pattern): QuotaOptions {
  return { address, organizations: TENANTS[tenancy], pattern };
}

/** The load on Redis alone. By default it has one decision per call, and as many calls as possible. */
function bareOptions(
  { redisPort }: QuotaBench,
  tenancy: Tenancy,
  { together = 1, pattern = PIPELINED }: Partial<RedisOptions> = {},
): RedisOptions {
  return { port: redisPort, organizations: TENANTS[tenancy], together, pattern };
}

function arrivals(perSecond: number): Pattern {
  return { kind: 'arrivals', perSecond: Math.floor(perSecond) };
}
