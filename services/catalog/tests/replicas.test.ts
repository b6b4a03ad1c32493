import { apiKeyDigest } from '@sluice/contracts';
import { useLeakCheck, useNats, waitUntil } from '@sluice/devkit';
import { RpcError, type CatalogAdminClient } from '@sluice/rpc';
import { describe, expect, it } from 'vitest';
import { startCatalog } from './catalog-under-test.ts';
import { account, model, organization, plan, project } from './example-documents.ts';
import { create, createExamples, update } from './example-resources.ts';
import { StallableProxy } from './stallable-proxy.ts';

useLeakCheck();
const nats = useNats();

let stores = 0;
/** Replicas of one catalog, in a store of their own. */
async function startReplicas(count: number, natsUrls: readonly string[] = []) {
  stores += 1;
  const namespace = `${nats.namespace}-${stores}`;
  await using starting = new AsyncDisposableStack();
  const replicas = [];
  for (let number = 0; number < count; number += 1) {
    const natsUrl = natsUrls[number] ?? nats.url;
    replicas.push(starting.use(await startCatalog({ natsUrl, namespace })));
  }
  const running = starting.move();
  const [first, second] = replicas;
  if (first === undefined || second === undefined) throw new Error('at least two');
  return { first, second, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

const idsOf = async (admin: CatalogAdminClient, kind: string) =>
  (await admin.listResources({ kind })).resources.map(({ id }) => id);
const codeOf = (settled: PromiseSettledResult<unknown>) =>
  settled.status === 'fulfilled' ? 'done' : RpcError.from(settled.reason).code;

describe('two replicas with concurrent writes', () => {
  it('accept one of two creations of the same id', async () => {
    await using replicas = await startReplicas(2);
    const { first, second } = replicas;
    for (let round = 0; round < 20; round += 1) {
      const id = `model-${round}`;
      const outcomes = await Promise.allSettled([
        create(first.admin, 'models', { ...model, id }),
        create(second.admin, 'models', { ...model, id }),
      ]);
      expect(outcomes.map(codeOf).toSorted()).toEqual(['already_exists', 'done']);
    }
  });

  it('lose none of many changes', async () => {
    await using replicas = await startReplicas(2);
    const { first, second } = replicas;
    const ids = Array.from({ length: 60 }, (_, number) => `m${String(number).padStart(2, '0')}`);
    await Promise.all(
      ids.map((id, number) =>
        create(number % 2 === 0 ? first.admin : second.admin, 'models', { ...model, id }),
      ),
    );
    for (const { admin } of [first, second]) {
      await waitUntil(async () => (await idsOf(admin, 'models')).length === 60, {
        what: 'every model on both replicas',
      });
      expect(await idsOf(admin, 'models')).toEqual(ids);
    }
  });

  it('never leave a reference to a resource that the other deleted', async () => {
    await using replicas = await startReplicas(2);
    const { first, second } = replicas;
    for (let round = 0; round < 40; round += 1) {
      const id = `r${round}`;
      await create(first.admin, 'plans', { ...plan, id });
      const [deletion, creation] = await Promise.allSettled([
        first.admin.deleteResource({ kind: 'plans', id }),
        create(second.admin, 'organizations', { id, plan: id }),
      ]);
      const outcome = `${codeOf(deletion)}, ${codeOf(creation)}`;
      expect(['done, failed_precondition', 'failed_precondition, done']).toContain(outcome);
    }
    const plans = new Set(await idsOf(second.admin, 'plans'));
    const organizations = (await second.admin.listResources({ kind: 'organizations' })).resources;
    for (const { document } of organizations) {
      expect(plans).toContain((JSON.parse(document) as { plan: string }).plan);
    }
  });

  it('do not overwrite each other with expected sequences', async () => {
    await using replicas = await startReplicas(2);
    const { first, second } = replicas;
    const { sequence } = await create(first.admin, 'plans', plan);
    await waitUntil(async () => (await idsOf(second.admin, 'plans')).length === 1, {
      what: 'the plan on the other replica',
    });
    const outcomes = await Promise.allSettled([
      update(first.admin, 'plans', { ...plan, models: ['first'] }, sequence),
      update(second.admin, 'plans', { ...plan, models: ['second'] }, sequence),
    ]);
    expect(outcomes.map(codeOf).toSorted()).toEqual(['conflict', 'done']);
  });
});

describe('a change made on one replica', () => {
  it('is in the answers of the other for a gateway that names its position', async () => {
    await using replicas = await startReplicas(2);
    const { first, second } = replicas;
    await createExamples(first.admin);
    const ordered = { project: project.id, name: 'k', creator: account.id };
    for (let round = 0; round < 100; round += 1) {
      const { id, key } = await first.admin.createApiKey(ordered);
      const { position } = await first.admin.deleteResource({ kind: 'api_keys', id });
      const { principal } = await second.client.resolveCredential({
        apiKeySha256: apiKeyDigest(key),
        atLeast: position,
      });
      expect(principal).toBeNull();
    }
  });
});

describe('an operator with calls to both replicas', () => {
  it('finds every change that was made', async () => {
    await using replicas = await startReplicas(2);
    const { first, second } = replicas;
    for (let round = 0; round < 50; round += 1) {
      const id = `r${round}`;
      const [here, there] = round % 2 === 0 ? [first, second] : [second, first];
      await create(here.admin, 'plans', { ...plan, id });
      expect(await idsOf(there.admin, 'plans')).toContain(id);
      await here.admin.deleteResource({ kind: 'plans', id });
      expect(await idsOf(there.admin, 'plans')).not.toContain(id);
    }
  });

  it('is not refused because a replica has not received a change yet', async () => {
    await using proxy = await StallableProxy.before(nats.url);
    await using replicas = await startReplicas(2, [nats.url, proxy.url]);
    const { first, second: lagging } = replicas;
    await createExamples(lagging.admin);
    for (let round = 0; round < 10; round += 1) {
      const id = `r${round}`;
      proxy.stall();
      await create(first.admin, 'plans', { ...plan, id });
      const creation = create(lagging.admin, 'organizations', { id, plan: id });
      // This later call was answered, so the creation was checked before the change arrived.
      await lagging.client.listModels({ organization: organization.id });
      proxy.resume();
      await expect(creation).resolves.toMatchObject({ id });
    }
  });
});

describe('a replica that lags', () => {
  it('refuses instead of giving a stale answer, and answers once it has caught up', async () => {
    await using proxy = await StallableProxy.before(nats.url);
    await using replicas = await startReplicas(2, [nats.url, proxy.url]);
    const { first, second: lagging } = replicas;
    await createExamples(first.admin);
    const { id, key } = await first.admin.createApiKey({
      project: project.id,
      name: 'k',
      creator: account.id,
    });
    const apiKeySha256 = apiKeyDigest(key);
    await waitUntil(
      async () => (await lagging.client.resolveCredential({ apiKeySha256 })).principal,
      { what: 'the key on both replicas' },
    );

    proxy.stall();
    await first.admin.revokeApiKey({ id });
    const { position } = await first.client.listModels({ organization: organization.id });
    // The request names no position, so the stale answer is allowed.
    expect((await lagging.client.resolveCredential({ apiKeySha256 })).principal).not.toBeNull();
    const asking = () => lagging.client.resolveCredential({ apiKeySha256, atLeast: position });
    await expect(asking()).rejects.toMatchObject({ code: 'unavailable' });

    const waiting = asking();
    proxy.resume();
    expect((await waiting).principal).toBeNull();
    expect((await lagging.client.resolveCredential({ apiKeySha256 })).principal).toBeNull();
  });

  it('refuses to change a state that it does not know', async () => {
    await using proxy = await StallableProxy.before(nats.url);
    await using replicas = await startReplicas(2, [nats.url, proxy.url]);
    const { first, second: lagging } = replicas;
    await create(first.admin, 'plans', plan);
    await waitUntil(async () => (await idsOf(lagging.admin, 'plans')).length === 1, {
      what: 'the plan on both replicas',
    });
    proxy.stall();
    await create(first.admin, 'organizations', { id: 'fast', plan: plan.id });
    const deletion = lagging.admin.deleteResource({ kind: 'plans', id: plan.id });
    proxy.resume();
    await expect(deletion).rejects.toMatchObject({
      code: 'failed_precondition',
      message: 'plan team is still in use: it is the plan of organization fast',
    });
  });
});
