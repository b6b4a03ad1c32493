import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createLogger } from '@sluice/service';
import { PriceList } from '../src/ledger/price-list.ts';
import { readRecords } from '../src/ledger/read-records.ts';
import { explainRequest } from '../src/queries/explain-request.ts';
import { lastUses } from '../src/queries/last-uses.ts';
import { listRequests, type RequestQuery } from '../src/queries/list-requests.ts';
import { sumUsage, type UsageQuery } from '../src/queries/sum-usage.ts';
import type { Database } from '../src/store/database.ts';
import { migrate } from '../src/store/migrate.ts';
import { DAY_MS, dayOf } from '../src/store/partitions.ts';
import { openPglite } from '../src/store/pglite-database.ts';
import { openPostgres } from '../src/store/postgres-database.ts';
import { UsageStore } from '../src/store/usage-store.ts';
import { fillTables } from './fill-tables.ts';
import { PostgresServer } from './postgres-server.ts';
import { attemptOf, requestOf } from './records.ts';

// Measures the store and the queries of the service on made-up records, and prints JSON. `npm run bench -- usage` runs
// it.

const DAYS = 30;
const RECORDS_IN_BATCH = 1_000;
const BATCHES = 60;
/** How many batches are written before those that are measured. */
const WARM_UP_BATCHES = 20;
/** How often each question is asked. */
const ROUNDS = 5;

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
const { database, databaseCpu } = await open();
await migrate(database);
const today = dayOf(Date.now());
const store = new UsageStore(database, { requestDays: 35, sumDays: 800 }, () => today + 1);
const filling = { records: Number(values.records), days: DAYS, organizations, untilMs: today };
const startedAt = performance.now();
await fillTables(database, store, filling, say);
const fillSeconds = (performance.now() - startedAt) / 1_000;
const questions = await askQuestions();
const cost = await measureWrites();
process.stdout.write(`${JSON.stringify({ ...values, fillSeconds, cost, questions })}\n`);

async function open(): Promise<{ database: Database; databaseCpu: () => number }> {
  if (values.database === 'pglite') {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-usage-'));
    cleanUp.defer(() => rm(folder, { recursive: true, force: true }));
    // The embedded database runs in this process, so its CPU time is part of that of the service.
    return {
      database: cleanUp.use(await openPglite(join(folder, 'tables'))),
      databaseCpu: () => 0,
    };
  }
  const server = cleanUp.use(await PostgresServer.start());
  const access = { url: server.url, password: undefined, tls: undefined };
  return {
    database: cleanUp.use(openPostgres(access, logger)),
    databaseCpu: () => cpuOf(server.pid),
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

/**
 * The CPU time of a record, for its parsing and its transaction. It is the median of many batches, so that disturbances
 * of a few batches do not count.
 */
async function measureWrites() {
  const service: number[] = [];
  const inDatabase: number[] = [];
  let sequence = 0;
  for (let batch = 0; batch < WARM_UP_BATCHES + BATCHES; batch += 1) {
    const lines = makeLines();
    const before = process.cpuUsage();
    const databaseBefore = databaseCpu();
    const rows = readRecords(lines, store.keptTimes(), PRICES);
    const from = sequence === 0 ? undefined : sequence;
    sequence += 1;
    const to = { streamCreated: 'measured', sequence, storedAtMs: today };
    await store.write({ stream: 'measured', ...rows, from, to });
    const used = process.cpuUsage(before);
    if (batch < WARM_UP_BATCHES) continue;
    service.push((used.user + used.system) / RECORDS_IN_BATCH);
    inDatabase.push((databaseCpu() - databaseBefore) / RECORDS_IN_BATCH);
  }
  return { serviceMicroseconds: quartiles(service), databaseMicroseconds: quartiles(inDatabase) };
}

function makeLines(): string[] {
  return Array.from({ length: RECORDS_IN_BATCH / 2 }, (_, index) => {
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

/** How many milliseconds each question takes that operators ask daily. */
async function askQuestions() {
  const everything: RequestQuery = {
    organization: '',
    project: '',
    credential: '',
    model: '',
    worker: '',
    outcomes: [],
    codes: [],
    statuses: [],
    sinceMs: undefined,
    untilMs: undefined,
    limit: 50,
    after: undefined,
    afterArrival: undefined,
  };
  const month: UsageQuery = {
    by: ['organization'],
    organization: '',
    project: '',
    credential: '',
    model: '',
    sinceMs: today - DAYS * DAY_MS,
    untilMs: today,
    sort: 'requests',
    limit: 10,
    hoursFromMs: 0,
  };
  const list = (query: Partial<RequestQuery>) =>
    listRequests(database, { ...everything, ...query });
  const sum = (query: Partial<UsageQuery>) => sumUsage(database, { ...month, ...query });
  const { requests } = await list({
    sinceMs: today - (DAYS / 2) * DAY_MS,
    untilMs: today - DAY_MS,
  });
  const { id = '' } = requests[0] ?? {};
  const questions: Readonly<Record<string, () => Promise<unknown>>> = {
    'why did a request fail, and which worker served it': () => explainRequest(database, id),
    'the last failed requests': () => list({ outcomes: ['failed'] }),
    'the last requests of an organization': () => list({ organization: 'organization-3' }),
    'the last requests of a quiet organization with status 502': () =>
      list({ organization: `organization-${organizations - 1}`, statuses: [502] }),
    'requests at a worker in the last hours': () =>
      list({ worker: 'gpu-3', sinceMs: today - DAY_MS / 4 }),
    'the busiest organizations of a month': () => sum({}),
    'a month of every organization': () => sum({ limit: 10_000, sort: undefined }),
    'a month by project and model': () => sum({ by: ['project', 'model'], limit: 10_000 }),
    'a month by day and model': () => sum({ by: ['day', 'model'], limit: 10_000 }),
    'the last day by hour': () => sum({ by: ['hour'], sinceMs: today - DAY_MS }),
    'the last use of 100 keys': () =>
      lastUses(
        database,
        Array.from({ length: 100 }, (_, index) => `key_organization-${index}`),
      ),
  };
  const times: Record<string, string> = {};
  for (const [question, ask] of Object.entries(questions)) {
    const measured: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const askedAt = performance.now();
      await ask();
      measured.push(performance.now() - askedAt);
    }
    times[question] = quartiles(measured);
  }
  return times;
}

/** The median, and the quartiles around it. */
function quartiles(all: readonly number[]): string {
  const sorted = all.toSorted((one, other) => one - other);
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);
  return `${at(0.5)} [${at(0.25)}–${at(0.75)}]`;
}
