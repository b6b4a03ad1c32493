import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { subjectsUnder } from '@sluice/contracts';
import { useLeakCheck, waitUntil } from '@sluice/devkit';
import { findFreePort } from '@sluice/servers';
import { createLogger } from '@sluice/service';
import { expect, it } from 'vitest';
import { connectBus } from '../src/index.ts';
import { PASSWORD, SHIPPED_FORMS, writeSettings } from './guarded-nats.ts';
import { NatsProcess } from './nats-process.ts';

useLeakCheck();
const subjects = subjectsUnder('sluice');
const logger = createLogger({ service: 'test', level: 'silent' });
const REPLICAS = 3;

it('a cluster stores the records that arrive at any of its servers, and survives the end of one', async () => {
  const [form] = Object.values(SHIPPED_FORMS);
  if (form === undefined) throw new Error('no form is shipped');
  await using cluster = new AsyncDisposableStack();
  const folder = cluster.use(await mkdtempDisposable(join(tmpdir(), 'sluice-cluster-')));
  await writeSettings(folder.path, form);
  const routes = await Promise.all(Array.from({ length: REPLICAS }, () => findFreePort()));
  const servers: NatsProcess[] = [];
  for (const [number, port] of routes.entries()) {
    const settings = join(folder.path, `server${number}.conf`);
    const others = routes.map((route) => `nats://127.0.0.1:${route}`);
    const place = { name: 'test', host: '127.0.0.1', port, routes: others };
    await writeFile(
      settings,
      `include ./nats.conf\nserver_name: server${number}\ncluster: ${JSON.stringify(place)}\n`,
    );
    servers.push(cluster.use(await NatsProcess.guarded('-c', settings)));
  }
  const open = async (user: string, server: NatsProcess | undefined, inbox: string) =>
    cluster.use(
      await connectBus({
        servers: [`nats://${user}:${PASSWORD}@${server?.address}`],
        name: user,
        inbox: subjects.inbox(inbox),
        logger,
      }),
    );
  const { stream, subjects: kept } = subjects.outcomes;
  const bounds = { replicas: REPLICAS, maxAgeMs: 3_600_000, maxBytes: 1_048_576 };
  const catalog = await open('catalog', servers[0], 'catalog');
  const keeper = cluster.use(catalog.keepLedgerStream({ stream, subjects: kept(), ...bounds }));
  await waitUntil(() => keeper.state.exists, { what: 'the ledger', timeoutMs: 30_000 });
  const ledgers = [];
  for (const server of servers) {
    const worker = await open('worker-default', server, 'worker.default');
    ledgers.push(cluster.use(worker.openLedger({ kind: 'outcomes', stream })));
  }
  const subject = subjects.outcomes.subject({ kind: 'attempt', organization: 'acme' });
  for (const [number, ledger] of ledgers.entries()) {
    ledger.append({ id: `before${number}`, subject, record: { number } });
    expect(await ledger.settled(20_000)).toBe(true);
  }
  // The client of the first server reconnects to another one.
  await servers[0]?.kill();
  for (const [number, ledger] of ledgers.entries()) {
    ledger.append({ id: `after${number}`, subject, record: { number } });
  }
  for (const ledger of ledgers) {
    expect(await ledger.settled(30_000)).toBe(true);
    expect(ledger.counts).toEqual({ pending: 0, stored: 2, lost: 0 });
  }
}, 120_000);
