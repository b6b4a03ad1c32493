import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createLogger } from '@sluice/service';
import * as z from 'zod';
import { PriceList } from '../src/ledger/price-list.ts';
import { readRecords } from '../src/ledger/read-records.ts';
import { select, type Database } from '../src/store/database.ts';
import { migrate } from '../src/store/migrate.ts';
import { dayOf } from '../src/store/partitions.ts';
import { openPglite } from '../src/store/pglite-database.ts';
import { openPostgres } from '../src/store/postgres-database.ts';
import { UsageStore } from '../src/store/usage-store.ts';
import { fillTables } from './fill-tables.ts';
import { PostgresServer } from './postgres-server.ts';
import { attemptOf, requestOf } from './records.ts';

/**
 * Fills the tables with made-up records, and measures what writing a record costs. `npm run bench -- usage` runs it. It
 * prints a line of JSON, and holds the database until it is stopped.
 */

const DAYS = 30;
const BATCHES = 30;
/** How many batches are written before those that are measured. */
const WARM_UP_BATCHES = 10;

const PRICE = { from: undefined, input: '0.15', cached_input: '0.075', output: '0.6' };
const PRICES = new PriceList(['small', 'large'].map((id) => ({ id, prices: [PRICE] })));

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'postgres' },
    records: { type: 'string', default: '10000000' },
    organizations: { type: 'string', default: '1000' },
  },
});
const organizations = Number(values.organizations);
const logger = createLogger({ service: 'usage-measure', level: 'silent' });
const say = (line: string) => void process.stderr.write(`${line}\n`);

await using cleanUp = new AsyncDisposableStack();
const { database, databaseCpu, databasePid, settings } = await open();
await migrate(database);
const today = dayOf(Date.now());
const store = new UsageStore(database, { requestDays: 35, sumDays: 800 }, () => today + 1);
const filling = { records: Number(values.records), days: DAYS, organizations, untilMs: today };
const startedAt = performance.now();
await fillTables(database, store, filling, say);
const fillSeconds = (performance.now() - startedAt) / 1_000;
const cost = await measureWrites();
const [failed, completed] = [await lastRequest('failed'), await lastRequest('completed')];
// Only one process may use the embedded database.
await database[Symbol.asyncDispose]();
const until = new Date(today).toISOString().slice(0, 10);
const filled = { settings, databasePid, fillSeconds, cost, failed, completed, until };
process.stdout.write(`${JSON.stringify(filled)}\n`);
await Promise.race([once(process, 'SIGTERM'), once(process, 'disconnect')]);

async function lastRequest(outcome: string): Promise<string> {
  const sql =
    'SELECT id FROM requests WHERE outcome = $1 AND received_ms < $2 ORDER BY received_ms DESC LIMIT 1';
  const [found] = await select(database, z.object({ id: z.string() }), sql, [outcome, today]);
  return found?.id ?? '';
}

interface Opened {
  readonly database: Database;
  readonly databaseCpu: () => number;
  readonly databasePid: number | null;
  /** The settings of a service that uses this database. */
  readonly settings: Readonly<Record<string, string>>;
}

async function open(): Promise<Opened> {
  if (values.database === 'pglite') {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-usage-'));
    cleanUp.defer(() => rm(folder, { recursive: true, force: true }));
    // The embedded database runs in this process, so its CPU time is part of that of the service.
    const tables = join(folder, 'tables');
    return {
      database: await openPglite(tables),
      databaseCpu: () => 0,
      databasePid: null,
      settings: { DATABASE_FOLDER: tables },
    };
  }
  const server = cleanUp.use(await PostgresServer.start());
  const access = { url: server.url, password: undefined, tls: undefined };
  return {
    database: openPostgres(access, logger),
    databaseCpu: () => cpuOf(server.pid),
    databasePid: server.pid ?? null,
    settings: { DATABASE_URL: server.url },
  };
}

/** CPU time of a PostgreSQL server and its connections, in microseconds. */
function cpuOf(server: number | undefined): number {
  let sum = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (Number(pid) !== server && Number(fields[1]) !== server) continue;
      sum += Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000;
    } catch {
      // The process has ended meanwhile.
    }
  }
  return sum;
}

/** The CPU time of a record: its parsing and its transaction. The median of batches leaves out what disturbs a few. */
async function measureWrites() {
  const service: number[] = [];
  const inDatabase: number[] = [];
  const records = database.recordsInBatch;
  let sequence = 0;
  for (let batch = 0; batch < WARM_UP_BATCHES + BATCHES; batch += 1) {
    const lines = makeLines(records);
    const before = process.cpuUsage();
    const databaseBefore = databaseCpu();
    const rows = readRecords(lines, store.keptTimes(), PRICES);
    const from = sequence === 0 ? undefined : sequence;
    sequence += 1;
    const to = { streamCreated: 'measured', sequence, storedAtMs: today };
    await store.write({ stream: 'measured', ...rows, from, to });
    const used = process.cpuUsage(before);
    if (batch < WARM_UP_BATCHES) continue;
    service.push((used.user + used.system) / records);
    inDatabase.push((databaseCpu() - databaseBefore) / records);
  }
  return { service: quartiles(service), database: quartiles(inDatabase) };
}

function makeLines(records: number): string[] {
  return Array.from({ length: records / 2 }, (_, index) => {
    const organization = `organization-${Math.floor(organizations * Math.random() ** 3)}`;
    const project = `${organization}-app`;
    const model = index % 3 === 0 ? 'small' : 'large';
    const id = randomUUID();
    const common = { organization, project, model };
    const worker = { worker: 'default.w_1', worker_name: 'gpu-1' };
    const request = requestOf({
      ...common,
      id,
      credential: `key_${organization}`,
      received_at_ms: today + index,
      status: 200,
      limits: {
        tokens: 90,
        windows: { requests_per_minute: [6_000, 5_990], tokens_per_day: [9_000_000, 8_000_000] },
      },
      offers: [{ ...worker, target: 'default', after_ms: 2, took_ms: 890, ended: 'finished' }],
    });
    const attempt = attemptOf({
      ...common,
      ...worker,
      id: `${id}-1`,
      request: id,
      host: 'machine-1',
      runtime: '127.0.0.1:8000',
      accepted_at_ms: today + index,
    });
    return [JSON.stringify(request), JSON.stringify(attempt)];
  }).flat();
}

/** The median, and the quartiles around it. */
function quartiles(all: readonly number[]): string {
  const sorted = all.toSorted((one, other) => one - other);
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);
  return `${at(0.5)} [${at(0.25)}–${at(0.75)}]`;
}
