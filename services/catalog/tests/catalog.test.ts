import { connectBus } from '@sluice/bus';
import { CatalogChanged, apiKeyDigest, isWellFormedApiKey, subjectsUnder } from '@sluice/contracts';
import { useLeakCheck, useNats, waitUntil } from '@sluice/devkit';
import {
  connectCatalogAdmin,
  decodeModels,
  limitsFromMessage,
  schedulingFromMessage,
} from '@sluice/rpc';
import { ConfigurationError } from '@sluice/service';
import { describe, expect, it } from 'vitest';
import { readCatalogSettings } from '../src/config.ts';
import { start } from '../src/start.ts';
import { ADMIN_TOKEN, logger, startCatalog } from './catalog-under-test.ts';
import { account, model, organization, plan, project } from './example-documents.ts';
import { create, createExamples, update } from './example-resources.ts';

useLeakCheck();
const nats = useNats();

let bucket = 0;
/** A catalog with a store of its own. */
function startFresh(environment: Readonly<Record<string, string>> = {}) {
  bucket += 1;
  const namespace = `${nats.namespace}-${bucket}`;
  return { namespace, starting: () => startCatalog({ natsUrl: nats.url, namespace, environment }) };
}

const orderedKey = { project: project.id, name: 'laptop', creator: account.id };

describe('the catalog', () => {
  it('resolves its own key with everything that a gateway needs', async () => {
    await using catalog = await startFresh().starting();
    await createExamples(catalog.admin);
    await update(catalog.admin, 'organizations', {
      ...organization,
      limits: { requests_per_minute: 600, tokens_per_minute: null },
      weight: 2.5,
      scheduling_class: -2,
      slots_per_worker: 3,
    });
    const { id, key } = await catalog.admin.createApiKey(orderedKey);
    expect(isWellFormedApiKey(key)).toBe(true);
    const { principal, position } = await catalog.client.resolveCredential({
      apiKeySha256: apiKeyDigest(key),
    });
    expect(position?.sequence).toBe(7);
    expect(principal).toMatchObject({
      credentialKind: 'CREDENTIAL_KIND_API_KEY',
      credentialId: id,
      account: account.id,
      project: project.id,
      organization: organization.id,
      plan: plan.id,
      retention: 'standard',
      accessRefusal: '',
      billingRefusal: '',
      limitsRevision: { epoch: position?.epoch, sequence: 6 },
    });
    expect(limitsFromMessage(principal?.limits ?? {})).toEqual({
      requests_per_minute: 600,
      requests_per_day: null,
      tokens_per_minute: null,
      tokens_per_day: 50_000,
    });
    expect(principal).toMatchObject({ weight: 2.5, schedulingClass: -2, slotsPerWorker: 3 });
    expect(principal?.expiresAtMs).toBeUndefined();
  });

  it('sends no scheduling for a plan and an organization without any', async () => {
    await using catalog = await startFresh().starting();
    await createExamples(catalog.admin);
    const { key } = await catalog.admin.createApiKey(orderedKey);
    const { principal } = await catalog.client.resolveCredential({
      apiKeySha256: apiKeyDigest(key),
    });
    expect(principal?.plan).toBe(plan.id);
    expect(schedulingFromMessage(principal ?? {})).toEqual({});
    for (const field of ['weight', 'schedulingClass', 'slotsPerWorker']) {
      expect(principal).not.toHaveProperty(field);
    }
  });

  it('names the settings that its NATS does not support, and does not retry', async () => {
    await expect(startFresh({ CATALOG_REPLICAS: '3' }).starting()).rejects.toThrow(
      new ConfigurationError(
        `this NATS cannot keep the bucket ${nats.namespace}-${bucket} with 3 replicas and a history of 64: replicas > 1 not supported in non-clustered mode`,
      ),
    );
  });

  it('does not resolve an unknown or a revoked key', async () => {
    await using catalog = await startFresh().starting();
    await createExamples(catalog.admin);
    const { id, key } = await catalog.admin.createApiKey(orderedKey);
    const stranger = await catalog.client.resolveCredential({
      apiKeySha256: apiKeyDigest('sk-stranger'),
    });
    expect(stranger.principal).toBeNull();
    const revoked = await catalog.admin.revokeApiKey({ id });
    expect(JSON.parse(revoked.document)).toMatchObject({ id, last_four: key.slice(-4) });
    const { principal } = await catalog.client.resolveCredential({
      apiKeySha256: apiKeyDigest(key),
    });
    expect(principal).toBeNull();
  });

  it('lists the models of the plan', async () => {
    await using catalog = await startFresh().starting();
    await createExamples(catalog.admin);
    await create(catalog.admin, 'models', { ...model, id: 'other/model' });
    await create(catalog.admin, 'models', { ...model, id: 'plain', shutdown_date: '2020-01-01' });
    const { encodedModels } = await catalog.client.listModels({ organization: organization.id });
    const models = decodeModels(encodedModels ?? Buffer.alloc(0));
    expect(models.map(({ id }) => id)).toEqual([model.id, 'plain']);
    expect(models[0]).toMatchObject({
      owned_by: 'acme',
      context_length: 8_192,
      pool: 'default',
      runtime_model: 'thinker',
      reasoning_history: 'optional',
      input_token_ratio: 0.25,
      shutdown_date: null,
    });
    expect(models[0]).not.toHaveProperty('reasoning');
    expect(models[1]?.shutdown_date).toBe('2020-01-01');
  });

  it('sends a list to a gateway without it, and only the tag to one that has it', async () => {
    await using catalog = await startFresh().starting();
    await createExamples(catalog.admin);
    await create(catalog.admin, 'organizations', { ...organization, id: 'second' });
    const ask = async (organizationId: string, ...knownTags: string[]) => {
      const asked = { organization: organizationId, knownTags };
      const { models, tag, encodedModels } = await catalog.client.listModels(asked);
      expect(models).toEqual([]);
      return { tag, ids: encodedModels && decodeModels(encodedModels).map(({ id }) => id) };
    };
    const first = await ask(organization.id);
    expect(first).toEqual({ tag: expect.stringMatching(/./) as string, ids: [model.id] });
    expect(await ask(organization.id, 'another')).toEqual(first);
    expect(await ask('second', 'another', first.tag)).toEqual({ tag: first.tag });
    // An empty list was sent, which differs from no list.
    await update(catalog.admin, 'plans', { ...plan, models: [] });
    const empty = await ask('second', first.tag);
    expect(empty).toEqual({ tag: empty.tag, ids: [] });
    await update(catalog.admin, 'plans', plan);
    await update(catalog.admin, 'models', { ...model, runtime_model: 'thinker-2' });
    const second = await ask(organization.id, first.tag, empty.tag);
    expect(second).toEqual({ tag: second.tag, ids: [model.id] });
    expect(new Set([first.tag, empty.tag, second.tag]).size).toBe(3);
  });

  it('announces each change when it can answer with it', async () => {
    const { namespace, starting } = startFresh();
    await using catalog = await starting();
    await using bus = await connectBus({ servers: [nats.url], name: 'listener', logger });
    const received: CatalogChanged[] = [];
    bus.subscribe(subjectsUnder(namespace).catalogChanged(), ({ json }) => {
      const change = CatalogChanged.parse(json);
      // Repeated announcements are ignored.
      if (change.sequence > (received.at(-1)?.sequence ?? 0)) received.push(change);
    });
    await bus.flush();
    await createExamples(catalog.admin);
    await waitUntil(() => received.length === 5, { what: 'five announcements' });
    expect(received.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5]);
    // An unused plan and account, a model for all, an organization and its project.
    expect(received.map(({ organizations }) => organizations)).toEqual([
      [],
      undefined,
      [],
      [organization.id],
      [organization.id],
    ]);
    // A change of a model affects only the lists of models.
    expect(received.map(({ answers }) => answers)).toEqual([
      undefined,
      'models',
      undefined,
      undefined,
      undefined,
    ]);
    const { position } = await catalog.client.listModels({
      organization: organization.id,
      atLeast: received.at(-1) ?? null,
    });
    expect(received.at(-1)).toMatchObject(position ?? {});
  });

  it('requires a known admin token', async () => {
    await using catalog = await startFresh().starting();
    for (const token of ['wrong', `${ADMIN_TOKEN}x`, ADMIN_TOKEN.slice(1)]) {
      await using stranger = connectCatalogAdmin({
        address: catalog.service.adminAddress ?? '',
        token,
      });
      await expect(stranger.listResources({ kind: 'plans' })).rejects.toMatchObject({
        code: 'unauthenticated',
      });
    }
  });

  it('keeps the admin port closed without tokens', async () => {
    const { namespace } = startFresh();
    await using service = await start(
      readCatalogSettings({ NATS_URL: nats.url, CATALOG_BUCKET: namespace, PORT: '0' }),
      logger,
    );
    expect(service.adminAddress).toBeUndefined();
    expect(service.readiness()).toMatchObject({
      ready: true,
      details: { live: true, sequence: 0 },
    });
  });
});
