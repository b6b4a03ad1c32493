import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LOOPBACK, findFreePort } from '@sluice/backing';
import { apiKeyDigest } from '@sluice/contracts';
import { connectCatalogAdmin } from '@sluice/rpc';
import { parseOptions, wholeNumber, type Command } from '../command-line.ts';
import { startDriver, type Driver } from '../driver/start-driver.ts';
import { collectGarbage } from '../measure/collect-garbage.ts';
import { cpuMicroseconds, residentKibibytes } from '../measure/process-usage.ts';
import { percentile, summarize, type Summary } from '../measure/statistics.ts';
import { startBackingServer } from '../programs/backing-servers.ts';
import { startProgram } from '../programs/child-program.ts';
import { startServiceProgram, type ServiceProgram } from '../programs/service-program.ts';
import { createTenant } from '../programs/tenant.ts';
import { formatNumber, formatSummary, table } from '../report/table.ts';
import { fillCatalog, type TemplateKey } from './fill-catalog.ts';
import type { ResolveOrder, ResolveState } from './resolve-order.ts';

const KEYS = 100_000;
const ROUNDS = 3;
const SECONDS = 3;
const SETTLE_MS = 1_000;
const IN_FLIGHT = 64;
const ADMIN_TOKEN = 'bench-0123456789abcdef';
const NAME = 'bench';

interface Rate {
  readonly perSecond: number;
  readonly perCore: number;
  readonly p50: number;
  readonly p99: number;
  readonly wrong: number;
}

interface CatalogReport {
  readonly keys: number;
  readonly create_per_second: number;
  readonly empty_start_ms: number;
  readonly full_start_ms: number;
  readonly empty_resident_kib: number;
  readonly full_resident_kib: number;
  readonly bytes_per_key: number;
  readonly resolve: RateReport;
  readonly transport: RateReport;
  readonly wrong_answers: number;
}

interface RateReport {
  readonly per_second: Summary | undefined;
  readonly per_core: Summary | undefined;
  readonly p50_ms: Summary | undefined;
  readonly p99_ms: Summary | undefined;
}

export const catalogCommand: Command = {
  help: `
Usage: npm run bench -- catalog [OPTIONS]

A catalog full of API keys: memory, start and look-ups.

Options:
  --keys N      how many keys it holds (${KEYS})
  --rounds N    how often look-ups are measured (${ROUNDS})
  --json        the result as JSON
  --help        this text
`,
  run: async (parameters, { cleanUp, say, print }) => {
    const options = parseOptions(parameters, {
      keys: { type: 'string', default: String(KEYS) },
      rounds: { type: 'string', default: String(ROUNDS) },
      json: { type: 'boolean', default: false },
    });
    const keys = wholeNumber('--keys', options.keys, { least: 1, most: 10_000_000 });
    const rounds = wholeNumber('--rounds', options.rounds, { least: 1, most: 100 });
    say('starting NATS and an empty catalog …');
    const nats = cleanUp.use(await startBackingServer('nats'));
    const [port, adminPort, constantPort] = [
      await findFreePort(),
      await findFreePort(),
      await findFreePort(),
    ];
    const startCatalog = async () =>
      cleanUp.use(
        await startServiceProgram('catalog', {
          HOST: LOOPBACK,
          PORT: String(port),
          ADMIN_HOST: LOOPBACK,
          ADMIN_PORT: String(adminPort),
          ADMIN_TOKENS: `bench:${ADMIN_TOKEN}`,
          NATS_URL: nats.url,
        }),
      );
    const empty = await startCatalog();
    const { template, createPerSecond } = await createKeys(`${LOOPBACK}:${adminPort}`);
    const emptyResident = await residentAfterCollection(empty);
    await empty[Symbol.asyncDispose]();
    say(`writing ${formatNumber(keys, 0)} keys …`);
    await fillCatalog(nats.url, template, keys);
    say('starting the catalog again …');
    const full = await startCatalog();
    const fullResident = await residentAfterCollection(full);
    const constant = cleanUp.use(
      await startProgram({
        name: 'constant catalog',
        program: process.execPath,
        parameters: [join(import.meta.dirname, 'constant-catalog.ts'), String(constantPort)],
        isReady: async ({ firstLine }) => (await firstLine) !== '',
      }),
    );
    const driver = cleanUp.use(
      startDriver<ResolveOrder, ResolveState>(new URL('resolve-process.ts', import.meta.url)),
    );
    const resolve: Rate[] = [];
    const transport: Rate[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      say(`round ${round}/${rounds}  resolving credentials`);
      const order = { keys, inFlight: IN_FLIGHT };
      resolve.push(await measure(driver, { ...order, address: `${LOOPBACK}:${port}` }, full.pid));
      transport.push(
        await measure(driver, { ...order, address: `${LOOPBACK}:${constantPort}` }, constant.pid),
      );
    }
    const report: CatalogReport = {
      keys,
      create_per_second: createPerSecond,
      empty_start_ms: empty.readyAfterMs,
      full_start_ms: full.readyAfterMs,
      empty_resident_kib: emptyResident,
      full_resident_kib: fullResident,
      bytes_per_key: ((fullResident - emptyResident) * 1_024) / keys,
      resolve: summarizeRates(resolve),
      transport: summarizeRates(transport),
      wrong_answers: [...resolve, ...transport].reduce((sum, { wrong }) => sum + wrong, 0),
    };
    print(options.json ? JSON.stringify(report, undefined, 2) : renderCatalog(report));
    return report.wrong_answers > 0 ? 1 : 0;
  },
};

/** One key to copy, and how fast the catalog itself makes them, each checked against the whole. */
async function createKeys(
  address: string,
): Promise<{ template: TemplateKey; createPerSecond: number }> {
  await using admin = connectCatalogAdmin({ address, token: ADMIN_TOKEN });
  await admin.ready();
  await createTenant(admin, NAME);
  const order = { project: NAME, name: NAME, creator: NAME };
  const { id, key } = await admin.createApiKey(order);
  const startedAt = performance.now();
  let created = 0;
  const loops = Array.from({ length: 16 }, async () => {
    while (performance.now() - startedAt < SECONDS * 1_000) {
      await admin.createApiKey(order);
      created += 1;
    }
  });
  await Promise.all(loops);
  return {
    template: { id, sha256: apiKeyDigest(key).toString('hex'), lastFour: key.slice(-4) },
    createPerSecond: created / ((performance.now() - startedAt) / 1_000),
  };
}

async function residentAfterCollection(program: ServiceProgram): Promise<number> {
  await collectGarbage({ pid: program.pid, errorOutput: async () => program.output() });
  await delay(SETTLE_MS);
  return residentKibibytes(program.pid);
}

async function measure(
  driver: Driver<ResolveOrder, ResolveState>,
  order: ResolveOrder,
  pid: number,
): Promise<Rate> {
  await driver.start(order);
  await delay(SETTLE_MS);
  const before = await driver.look();
  const startedAt = performance.now();
  const cpu = cpuMicroseconds(pid);
  await delay(SECONDS * 1_000);
  const after = await driver.look();
  const seconds = (performance.now() - startedAt) / 1_000;
  const resolved = after.resolved - before.resolved;
  const used = cpuMicroseconds(pid) - cpu;
  await driver.stop();
  return {
    perSecond: resolved / seconds,
    perCore: (resolved / used) * 1_000_000,
    p50: percentile(after.latencyMs, 0.5),
    p99: percentile(after.latencyMs, 0.99),
    wrong: after.unknown + after.failed,
  };
}

function summarizeRates(rates: readonly Rate[]): RateReport {
  return {
    per_second: summarize(rates.map(({ perSecond }) => perSecond)),
    per_core: summarize(rates.map(({ perCore }) => perCore)),
    p50_ms: summarize(rates.map(({ p50 }) => p50)),
    p99_ms: summarize(rates.map(({ p99 }) => p99)),
  };
}

function renderCatalog(report: CatalogReport): string {
  const memory = table([
    ['The catalog', 'empty', `${formatNumber(report.keys, 0)} keys`],
    [
      '  from start to ready, ms',
      formatNumber(report.empty_start_ms, 0),
      formatNumber(report.full_start_ms, 0),
    ],
    [
      '  resident memory, MiB',
      formatNumber(report.empty_resident_kib / 1_024, 1),
      formatNumber(report.full_resident_kib / 1_024, 1),
    ],
    ['  bytes per key', '', formatNumber(report.bytes_per_key, 0)],
  ]);
  const rates = table([
    [`Resolving credentials, ${IN_FLIGHT} at once`, 'catalog', 'the same call, constant answer'],
    [
      '  answers/s per core of the server',
      formatSummary(report.resolve.per_core, 0),
      formatSummary(report.transport.per_core, 0),
    ],
    [
      '  answers/s in this run',
      formatSummary(report.resolve.per_second, 0),
      formatSummary(report.transport.per_second, 0),
    ],
    [
      '  p50, ms',
      formatSummary(report.resolve.p50_ms, 2),
      formatSummary(report.transport.p50_ms, 2),
    ],
    [
      '  p99, ms',
      formatSummary(report.resolve.p99_ms, 2),
      formatSummary(report.transport.p99_ms, 2),
    ],
  ]);
  return [
    memory,
    rates,
    `Keys made through the admin port, 16 at once: ${formatNumber(report.create_per_second, 0)}/s. Wrong answers: ${report.wrong_answers}.`,
  ].join('\n\n');
}
