import { connectBus, type Bus } from '@sluice/bus';
import { ServiceProcess, cannotRun, useLeakCheck, waitUntil } from '@sluice/devkit';
import { RpcError, type CatalogAdminClient } from '@sluice/rpc';
import { findFreePort } from '@sluice/servers';
import { describe, expect, it } from 'vitest';
import { logger, startCatalog } from './catalog-under-test.ts';
import { model } from './example-documents.ts';
import { create } from './example-resources.ts';
import { NatsCluster, natsProgram } from './nats-cluster.ts';

useLeakCheck();

const BUCKET = 'replicated';
const WRITES = 400;

interface StreamInfo {
  readonly config: { readonly num_replicas: number };
  readonly cluster: { readonly leader: string; readonly replicas: { readonly current: boolean }[] };
}

async function streamInfo(bus: Bus): Promise<StreamInfo> {
  const subject = `$JS.API.STREAM.INFO.KV_${BUCKET}`;
  const { data } = await bus.request(subject, new Uint8Array(0), { timeoutMs: 1_000 });
  return JSON.parse(Buffer.from(data).toString('utf8')) as StreamInfo;
}

async function modelIds(admin: CatalogAdminClient): Promise<Set<string>> {
  const { resources, nextAfter } = await admin.listResources({ kind: 'models' });
  expect(nextAfter).toBe('');
  return new Set(resources.map(({ id }) => id));
}

const program = natsProgram();

const withoutProgram = cannotRun(
  'a replicated catalog',
  program === undefined ? 'no nats-server program' : undefined,
);

describe.skipIf(withoutProgram)('a store on three servers', () => {
  it('loses nothing when the leader of its stream is lost, and continues by itself', async () => {
    await using cluster = await NatsCluster.start(program ?? '');
    const options = {
      natsUrl: cluster.url,
      namespace: BUCKET,
      environment: { CATALOG_REPLICAS: '3' },
    };
    await using replicas = new AsyncDisposableStack();
    // The servers need a moment to find each other.
    const first = replicas.use(await startCatalog(options));
    const second = replicas.use(await startCatalog(options));
    await using bus = await connectBus({ servers: cluster.url.split(','), name: 'test', logger });
    const { config, cluster: before } = await streamInfo(bus);
    expect(config.num_replicas).toBe(3);

    const outcomes = new Map<string, string>();
    const writing = (async () => {
      for (let number = 0; number < WRITES; number += 1) {
        const id = `m${number}`;
        const { admin } = number % 2 === 0 ? first : second;
        const failure = await create(admin, 'models', { ...model, id }).then(
          () => undefined,
          RpcError.from,
        );
        outcomes.set(id, failure?.message ?? 'done');
      }
    })();
    await waitUntil(() => outcomes.size > WRITES / 4, { what: 'some changes', everyMs: 1 });
    await cluster.kill(before.leader);
    await writing;

    const done = [...outcomes].filter(([, outcome]) => outcome === 'done').map(([id]) => id);
    // Only the changes in flight may be refused or have an unknown outcome. Later ones wait for the election.
    expect(done.length).toBeGreaterThan(WRITES - 5);
    for (const { admin, service } of [first, second]) {
      await waitUntil(() => service.readiness().details['live'], { what: 'the watch' });
      const stored = await waitUntil(
        async () => {
          const ids = await modelIds(admin);
          return done.every((id) => ids.has(id)) && ids;
        },
        { what: 'every acknowledged change' },
      );
      for (const [id, outcome] of outcomes) {
        if (outcome.endsWith('nothing was changed')) expect(stored).not.toContain(id);
      }
    }
    expect((await streamInfo(bus)).cluster.leader).not.toBe(before.leader);
  });
});

describe.skipIf(withoutProgram)('a cluster without a majority', () => {
  it('is waited for by a starting catalog, which is not ready and can be stopped', async () => {
    await using cluster = await NatsCluster.start(program ?? '');
    for (const name of ['n1', 'n2']) await cluster.kill(name);
    const port = await findFreePort();
    const readyUrl = `http://127.0.0.1:${port}/readyz`;
    await using catalog = new ServiceProcess({
      name: 'catalog',
      entry: 'services/catalog/src/main.ts',
      settings: {
        NATS_URL: cluster.url,
        CATALOG_BUCKET: BUCKET,
        CATALOG_REPLICAS: '3',
        PORT: '0',
        HEALTH_PORT: String(port),
      },
      readyUrl,
    });
    const ending = catalog.start().catch((error: unknown) => error);
    await waitUntil(() => catalog.lastLines().includes('waiting for JetStream'), {
      what: 'the catalog to wait',
    });
    expect((await fetch(readyUrl)).status).toBe(503);
    await catalog.end('SIGTERM');
    expect(await ending).toBeInstanceOf(Error);
    expect(catalog.exitCode).toBe(0);

    const ready = catalog.start();
    for (const name of ['n1', 'n2']) cluster.startServer(name);
    await ready;
    await catalog.end('SIGTERM');
    expect(catalog.exitCode).toBe(0);
  });
});
