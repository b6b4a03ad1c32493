import { connectBus } from '@sluice/bus';
import { apiKeyDigest } from '@sluice/contracts';
import { useLeakCheck, useNats, waitUntil } from '@sluice/devkit';
import { RpcError, decodeModels, type CatalogAdminClient } from '@sluice/rpc';
import { describe, expect, it } from 'vitest';
import { CatalogProgram } from './catalog-program.ts';
import { logger, startCatalog } from './catalog-under-test.ts';
import { account, model, organization, plan, project } from './example-documents.ts';
import { create, createExamples, update } from './example-resources.ts';

useLeakCheck();
const nats = useNats({ own: true });

let stores = 0;
const ownStore = () => {
  stores += 1;
  return `${nats.namespace}-${stores}`;
};

const ordered = { project: project.id, name: 'laptop', creator: account.id };
const idsOf = async (admin: CatalogAdminClient, kind: string) =>
  (await admin.listResources({ kind })).resources.map(({ id }) => id);

/** The steps of a large file: many projects, each after its organization. */
const STEPS = Array.from({ length: 60 }, (_, number) => [
  ['organizations', { id: `o${number}`, plan: plan.id }] as const,
  ['projects', { id: `p${number}`, organization: `o${number}` }] as const,
]).flat();

/** Makes the changes that are missing. Returns the acknowledged ids. */
async function applySteps(admin: CatalogAdminClient, acknowledged: string[]): Promise<void> {
  for (const [kind, document] of STEPS) {
    try {
      await create(admin, kind, document);
    } catch (error) {
      if (RpcError.from(error).code !== 'already_exists') throw error;
    }
    acknowledged.push(document.id);
  }
}

describe('a catalog that is killed in the middle of many changes', () => {
  it('has kept all acknowledged changes, has no broken reference, and can continue', async () => {
    const environment = { NATS_URL: nats.url, CATALOG_BUCKET: ownStore() };
    const acknowledged: string[] = [];
    {
      await using doomed = await CatalogProgram.start(environment);
      await create(doomed.admin, 'plans', plan);
      const interrupted = applySteps(doomed.admin, acknowledged).catch(RpcError.from);
      await waitUntil(() => acknowledged.length >= 25, { what: 'some changes', everyMs: 1 });
      await doomed.kill();
      expect(await interrupted).toMatchObject({ code: 'unavailable' });
    }
    expect(acknowledged.length).toBeLessThan(STEPS.length);

    await using catalog = await CatalogProgram.start(environment);
    const organizations = await idsOf(catalog.admin, 'organizations');
    const projects = await idsOf(catalog.admin, 'projects');
    expect([...organizations, ...projects]).toEqual(expect.arrayContaining(acknowledged));
    // The change in flight may have been stored or not. Later ones were not sent.
    expect(organizations.length + projects.length - acknowledged.length).toBeLessThanOrEqual(1);
    for (const id of projects) expect(organizations).toContain(id.replace('p', 'o'));

    await applySteps(catalog.admin, []);
    expect(await idsOf(catalog.admin, 'organizations')).toHaveLength(60);
    expect(await idsOf(catalog.admin, 'projects')).toHaveLength(60);
  });
});

describe('a restart of the bus', () => {
  it('loses nothing: requests are answered from memory, and no change is partial', async () => {
    const namespace = ownStore();
    const environment = { CHANGE_TIMEOUT_MS: '300' };
    await using catalog = await startCatalog({ natsUrl: nats.url, namespace, environment });
    await createExamples(catalog.admin);
    const { key } = await catalog.admin.createApiKey(ordered);
    const resolve = () => catalog.client.resolveCredential({ apiKeySha256: apiKeyDigest(key) });
    const { position: before } = await resolve();

    await nats.kill();
    await waitUntil(() => catalog.service.readiness().details['bus'] === 'disconnected', {
      what: 'the catalog to notice',
    });
    expect((await resolve()).principal).not.toBeNull();
    await expect(create(catalog.admin, 'models', { ...model, id: 'm2' })).rejects.toMatchObject({
      code: 'unavailable',
      message: 'the store cannot be reached; nothing was changed',
    });

    await nats.restart();
    await waitUntil(() => catalog.service.readiness().details['live'], { what: 'the watch' });
    expect((await resolve()).position).toEqual(before);
    await create(catalog.admin, 'models', { ...model, id: 'm3' });
    await using newcomer = await startCatalog({ natsUrl: nats.url, namespace });
    expect(await idsOf(newcomer.admin, 'models')).toEqual([model.id, 'm3']);
    const again = await newcomer.client.resolveCredential({ apiKeySha256: apiKeyDigest(key) });
    expect(again.principal?.organization).toBe(organization.id);
    expect(again.position?.epoch).toBe(before?.epoch);
  });

  it('during changes leaves each change made once or not at all', async () => {
    await using catalog = await startCatalog({ natsUrl: nats.url, namespace: ownStore() });
    await create(catalog.admin, 'plans', plan);
    const outcomes = new Map<string, string>();
    const writing = (async () => {
      for (let number = 0; number < 400; number += 1) {
        const id = `m${number}`;
        try {
          await create(catalog.admin, 'models', { ...model, id });
          outcomes.set(id, 'done');
        } catch (error) {
          outcomes.set(id, RpcError.from(error).message);
        }
      }
    })();
    await waitUntil(() => outcomes.size > 20, { what: 'some changes', everyMs: 1 });
    await nats.kill();
    await nats.restart();
    await writing;
    await waitUntil(() => catalog.service.readiness().details['live'], { what: 'the watch' });
    const stored = new Set(await idsOf(catalog.admin, 'models'));
    for (const [id, outcome] of outcomes) {
      if (outcome === 'done') expect(stored).toContain(id);
      if (outcome.endsWith('nothing was changed')) expect(stored).not.toContain(id);
    }
    const { records } = await catalog.admin.listAudit({ kind: 'models' });
    expect(records).toHaveLength(stored.size);
  });

  it('is not waited for indefinitely: answers from memory stop after the configured time', async () => {
    await using catalog = await startCatalog({
      natsUrl: nats.url,
      namespace: ownStore(),
      environment: { STALE_ANSWERS_MS: '50' },
    });
    await createExamples(catalog.admin);
    await nats.kill();
    const asking = () => catalog.client.listModels({ organization: organization.id });
    const refusal = await waitUntil(
      () =>
        asking().then(
          () => undefined,
          (error: unknown) => RpcError.from(error),
        ),
      { what: 'the catalog to stop answering' },
    );
    expect(refusal.code).toBe('unavailable');
    await nats.restart();
    await waitUntil(asking, { what: 'the catalog to answer again' });
  });

  it('is waited for just as long if the wall clock is set', async () => {
    let nowMs = Date.now();
    const options = { natsUrl: nats.url, namespace: ownStore(), wallClock: () => nowMs };
    await using catalog = await startCatalog(options);
    await createExamples(catalog.admin);
    await nats.kill();
    await waitUntil(() => catalog.service.readiness().details['live'] === false, {
      what: 'the catalog to notice',
    });
    const asking = () => catalog.client.listModels({ organization: organization.id });
    await asking();
    nowMs += 3_600_000;
    const { encodedModels } = await asking();
    expect(decodeModels(encodedModels ?? Buffer.alloc(0))).toHaveLength(1);
    await nats.restart();
    await waitUntil(() => catalog.service.readiness().details['live'], { what: 'the watch' });
  });
});

describe('a store that is lost', () => {
  const deleteStore = async (namespace: string) => {
    await using bus = await connectBus({ servers: [nats.url], name: 'operator', logger });
    await bus.request(`$JS.API.STREAM.DELETE.KV_${namespace}`, new Uint8Array(0), {
      timeoutMs: 2_000,
    });
  };

  it('makes no key unknown: answers come from memory for the configured time, then stop', async () => {
    const namespace = ownStore();
    const environment = { STALE_ANSWERS_MS: '1000', CHANGE_TIMEOUT_MS: '300' };
    await using catalog = await startCatalog({ natsUrl: nats.url, namespace, environment });
    await createExamples(catalog.admin);
    const { key } = await catalog.admin.createApiKey(ordered);
    const resolve = () => catalog.client.resolveCredential({ apiKeySha256: apiKeyDigest(key) });
    await deleteStore(namespace);
    const refusal = await waitUntil(
      () =>
        resolve().then(
          ({ principal }) => {
            expect.soft(principal).not.toBeNull();
            return undefined;
          },
          (error: unknown) => RpcError.from(error),
        ),
      { what: 'the catalog to stop answering' },
    );
    expect(refusal.code).toBe('unavailable');
    await expect(create(catalog.admin, 'models', { ...model, id: 'm2' })).rejects.toMatchObject({
      code: 'unavailable',
      message: 'the store cannot be reached; nothing was changed',
    });
    expect(catalog.service.readiness().details).toMatchObject({ live: false, api_keys: 1 });
  });

  it('is recreated by the next start, which all replicas notice: positions have a new epoch', async () => {
    const namespace = ownStore();
    await using catalog = await startCatalog({ natsUrl: nats.url, namespace });
    await createExamples(catalog.admin);
    const { position: old } = await catalog.client.listModels({ organization: organization.id });
    await deleteStore(namespace);
    await using _restarted = await startCatalog({ natsUrl: nats.url, namespace });
    await waitUntil(() => catalog.service.readiness().details['plans'] === 0, {
      what: 'the catalog to forget',
    });
    await waitUntil(() => catalog.service.readiness().ready, { what: 'the catalog to be ready' });
    await createExamples(catalog.admin);
    await update(catalog.admin, 'plans', { ...plan, models: [] });
    const { encodedModels, position } = await catalog.client.listModels({
      organization: organization.id,
      atLeast: old,
    });
    // An empty list was sent, which differs from no list.
    expect(encodedModels).toEqual(Buffer.alloc(0));
    expect(position?.epoch).toBeGreaterThan(old?.epoch ?? 0);
  });
});
