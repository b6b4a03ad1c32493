import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { apiKeyDigest } from '@sluice/contracts';
import { connectCatalogAdmin } from '@sluice/rpc';
import { LOOPBACK, findFreePort } from '@sluice/servers';
import { parseOptions, wholeNumber, type Command } from '../command-line.ts';
import { startDriver } from '../driver/start-driver.ts';
import { collectGarbage } from '../measure/collect-garbage.ts';
import { residentKibibytes } from '../measure/process-usage.ts';
import { startBackingServer } from '../programs/backing-servers.ts';
import { startProgram } from '../programs/child-program.ts';
import { startServiceProgram, type ServiceProgram } from '../programs/service-program.ts';
import { createTenant } from '../programs/tenant.ts';
import { formatNumber } from '../report/table.ts';
import { fillCatalog, type TemplateKey } from './fill-catalog.ts';
import { measureLookUps, type LookUpRate } from './measure-look-ups.ts';
import { renderCatalog, summarizeRates, type CatalogReport } from './report-catalog.ts';
import type { ResolveOptions, ResolveState } from './resolve-options.ts';

const DEFAULT_KEYS = 100_000;
const DEFAULT_ROUNDS = 3;
const CREATING_MS = 3_000;
/** How many keys are created at a time. */
const CREATORS = 16;
/** Pause after a garbage collection, until memory is given back. */
const SETTLE_MS = 1_000;
const ADMIN_TOKEN = 'bench-0123456789abcdef';
const NAME = 'bench';

export const catalogCommand: Command = {
  help: `
Usage: npm run bench -- catalog [OPTIONS]

Measures a catalog with many API keys: its memory, its start and its look-ups.

Options:
  --keys N      number of keys (${DEFAULT_KEYS})
  --rounds N    how often look-ups are measured (${DEFAULT_ROUNDS})
  --json        the result as JSON
  --help        this text
`,
  run: async (parameters, { cleanUp, say, print }) => {
    const options = parseOptions(parameters, {
      keys: { type: 'string', default: String(DEFAULT_KEYS) },
      rounds: { type: 'string', default: String(DEFAULT_ROUNDS) },
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
      startDriver<ResolveOptions, ResolveState>(new URL('resolve-process.ts', import.meta.url)),
    );
    const resolve: LookUpRate[] = [];
    const transport: LookUpRate[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      say(`round ${round}/${rounds}  resolving credentials`);
      const real = { keys, address: `${LOOPBACK}:${port}`, pid: full.pid };
      const transportOnly = { keys, address: `${LOOPBACK}:${constantPort}`, pid: constant.pid };
      resolve.push(await measureLookUps(driver, real));
      transport.push(await measureLookUps(driver, transportOnly));
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

/**
 * Creates keys through the catalog, which checks each of them against all of its data. Returns one of the keys, from
 * which copies are made, and the number of keys per second.
 */
async function createKeys(
  address: string,
): Promise<{ template: TemplateKey; createPerSecond: number }> {
  await using admin = connectCatalogAdmin({ address, token: ADMIN_TOKEN });
  await admin.ready();
  await createTenant(admin, NAME);
  const request = { project: NAME, name: NAME, creator: NAME };
  const { id, key } = await admin.createApiKey(request);
  const startedAt = performance.now();
  let created = 0;
  const loops = Array.from({ length: CREATORS }, async () => {
    while (performance.now() - startedAt < CREATING_MS) {
      await admin.createApiKey(request);
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
