import { apiKeyDigest } from '@sluice/contracts';
import { useLeakCheck, useNats } from '@sluice/devkit';
import { RpcError, connectCatalogAdmin, type AuditRecord } from '@sluice/rpc';
import { describe, expect, it } from 'vitest';
import { startCatalog } from './catalog-under-test.ts';
import { account, model, organization, plan, project } from './example-documents.ts';
import { create, createExamples, update } from './example-resources.ts';

useLeakCheck();
const nats = useNats();

let stores = 0;
function startFresh(
  options: { environment?: Record<string, string>; wallClock?: () => number } = {},
) {
  stores += 1;
  return startCatalog({ natsUrl: nats.url, namespace: `${nats.namespace}-${stores}`, ...options });
}

const ordered = { project: project.id, name: 'laptop', creator: account.id };

describe('what operators manage', () => {
  it('can be created, read, changed and deleted, with its place in the history', async () => {
    await using catalog = await startFresh();
    const created = await create(catalog.admin, 'plans', plan);
    expect(created).toMatchObject({ kind: 'plans', id: plan.id, sequence: 1 });
    expect(JSON.parse(created.document)).toEqual({
      ...plan,
      credentials: ['api_key', 'playground'],
    });
    const changed = await update(catalog.admin, 'plans', { ...plan, models: [] }, created.sequence);
    expect(changed.sequence).toBe(2);
    expect(await catalog.admin.getResource({ kind: 'plans', id: plan.id })).toEqual(changed);
    await catalog.admin.deleteResource({ kind: 'plans', id: plan.id, sequence: 2 });
    const looking = catalog.admin.getResource({ kind: 'plans', id: plan.id });
    await expect(looking).rejects.toMatchObject({ code: 'not_found' });
    expect((await create(catalog.admin, 'plans', plan)).sequence).toBe(4);
  });

  it('may have ids that the store itself could not take', async () => {
    await using catalog = await startFresh();
    const ids = ['a/b/c', 'weird>*.name.', 'ünïcode:7b', '..', '%2F'];
    for (const id of ids) await create(catalog.admin, 'models', { ...model, id });
    const { resources } = await catalog.admin.listResources({ kind: 'models' });
    expect(resources.map(({ id }) => id)).toEqual(ids.toSorted());
    for (const id of ids) await catalog.admin.deleteResource({ kind: 'models', id });
    expect((await catalog.admin.listResources({ kind: 'models' })).resources).toEqual([]);
  });

  it('is listed page by page', async () => {
    await using catalog = await startFresh();
    for (const id of ['c', 'a', 'b']) await create(catalog.admin, 'models', { ...model, id });
    const first = await catalog.admin.listResources({ kind: 'models', limit: 2 });
    expect(first).toMatchObject({ nextAfter: 'b', position: { sequence: 3 } });
    const second = await catalog.admin.listResources({ kind: 'models', limit: 2, after: 'b' });
    expect(second.resources.map(({ id }) => id)).toEqual(['c']);
    expect(second.nextAfter).toBe('');
  });

  it.each([
    ['an unknown kind', { kind: 'wishes', document: '{}' }, 'no kind of resource named wishes'],
    ['an API key', { kind: 'api_keys', document: '{}' }, 'calls of their own'],
    ['no JSON', { kind: 'plans', document: '{' }, 'not valid JSON'],
    [
      'another id beside it',
      { kind: 'projects', id: 'x', document: '{"id":"y","organization":"o"}' },
      "the document's id is y, but the request names x",
    ],
  ])('cannot be written with %s', async (_name, request, message) => {
    await using catalog = await startFresh();
    for (const write of [catalog.admin.createResource, catalog.admin.updateResource]) {
      const refused = write(request).catch((error: unknown) => error);
      expect(await refused).toMatchObject({ code: 'invalid_argument' });
      await expect(write(request)).rejects.toThrow(message);
    }
  });

  it('lists keys by project, and no other kind by project', async () => {
    await using catalog = await startFresh();
    await createExamples(catalog.admin);
    await create(catalog.admin, 'projects', { ...project, id: 'other' });
    const { id } = await catalog.admin.createApiKey({ ...ordered, project: 'other' });
    await catalog.admin.createApiKey(ordered);
    const { resources } = await catalog.admin.listResources({ kind: 'api_keys', project: 'other' });
    expect(resources.map((resource) => resource.id)).toEqual([id]);
    await expect(
      catalog.admin.listResources({ kind: 'plans', project: 'other' }),
    ).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});

describe('what is very large', () => {
  it('is refused with a message that names the limit of the store', async () => {
    await using catalog = await startFresh();
    const models = Array.from({ length: 36_000 }, (_, n) => `${n}${'p'.repeat(240)}`);
    const creating = create(catalog.admin, 'plans', { ...plan, models });
    const refused = await creating.then(() => undefined, RpcError.from);
    expect(refused?.code).toBe('invalid_argument');
    expect(refused?.message).toMatch(/^plan team is too large: .* must stay below \d+ bytes$/);
  });

  it('is listed on as many pages as needed', async () => {
    await using catalog = await startFresh();
    const patterns = Array.from({ length: 2_000 }, (_, n) => `${n}${'p'.repeat(240)}`);
    const ids = Array.from({ length: 7 }, (_, number) => `plan-${number}`);
    for (const id of ids) await create(catalog.admin, 'plans', { ...plan, id, models: patterns });
    const listed: string[] = [];
    let pages = 0;
    for (let after = '', more = true; more; more = after !== '') {
      const page = await catalog.admin.listResources({ kind: 'plans', after });
      listed.push(...page.resources.map(({ id }) => id));
      after = page.nextAfter;
      pages += 1;
    }
    expect(listed).toEqual(ids);
    expect(pages).toBeGreaterThan(1);

    const audited: string[] = [];
    for (let before = 0, more = true; more; more = before !== 0) {
      const page = await catalog.admin.listAudit({ before });
      audited.push(...page.records.map(({ id }) => id));
      before = page.nextBefore;
    }
    expect(audited).toEqual(ids.toReversed());
  });
});

describe('a key that expires', () => {
  it('works until its expiry', async () => {
    let nowMs = 1_000_000;
    await using catalog = await startFresh({ wallClock: () => nowMs });
    await createExamples(catalog.admin);
    const { key } = await catalog.admin.createApiKey({ ...ordered, expiresAtMs: 1_000_500 });
    const resolve = async () =>
      (await catalog.client.resolveCredential({ apiKeySha256: apiKeyDigest(key) })).principal;
    expect(await resolve()).toMatchObject({ expiresAtMs: 1_000_500 });
    nowMs = 1_000_500;
    expect(await resolve()).toBeNull();
  });
});

describe('a playground credential', () => {
  it('is issued by one replica and known to the others, and to a later start', async () => {
    stores += 1;
    const where = { natsUrl: nats.url, namespace: `${nats.namespace}-${stores}` };
    let token = '';
    {
      await using issuing = await startCatalog(where);
      await using other = await startCatalog(where);
      await createExamples(issuing.admin);
      const issued = await issuing.admin.issuePlaygroundToken({
        project: project.id,
        account: account.id,
      });
      ({ token } = issued);
      expect(issued.expiresAtMs - Date.now()).toBeGreaterThan(590_000);
      const { position } = await issuing.client.listModels({ organization: organization.id });
      const { principal } = await other.client.resolveCredential({
        playgroundToken: token,
        atLeast: position,
      });
      expect(principal).toMatchObject({
        credentialKind: 'CREDENTIAL_KIND_PLAYGROUND',
        account: account.id,
        project: project.id,
        expiresAtMs: issued.expiresAtMs,
      });
    }
    await using later = await startCatalog(where);
    expect(
      (await later.client.resolveCredential({ playgroundToken: token })).principal,
    ).not.toBeNull();
    const [signed, signature = ''] = token.split('.');
    const forged = `${signed}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
    expect(
      (await later.client.resolveCredential({ playgroundToken: forged })).principal,
    ).toBeNull();
  });
});

describe('refusals', () => {
  it('follow the states that operators set', async () => {
    await using catalog = await startFresh();
    await createExamples(catalog.admin);
    const { key } = await catalog.admin.createApiKey(ordered);
    const { token } = await catalog.admin.issuePlaygroundToken({
      project: project.id,
      account: account.id,
    });
    const refusals = async (credential: { apiKeySha256: Buffer } | { playgroundToken: string }) => {
      const { principal } = await catalog.client.resolveCredential(credential);
      return [principal?.accessRefusal, principal?.billingRefusal];
    };
    const ofKey = () => refusals({ apiKeySha256: apiKeyDigest(key) });
    const ofToken = () => refusals({ playgroundToken: token });
    const set = (kind: string, document: object) => update(catalog.admin, kind, document);

    expect([await ofKey(), await ofToken()]).toEqual([
      ['', ''],
      ['', ''],
    ]);
    await set('organizations', { ...organization, members: [] });
    expect((await ofKey())[0]).toBe('organization_membership_required');
    await set('organizations', { ...organization, billing: 'exhausted' });
    expect(await ofKey()).toEqual(['', 'insufficient_quota']);
    await set('organizations', { ...organization, billing: 'conflict' });
    expect(await ofKey()).toEqual(['', 'billing_conflict']);
    await set('organizations', organization);
    await set('accounts', { ...account, access: 'waiting' });
    expect((await ofKey())[0]).toBe('platform_access_required');
    await set('accounts', { ...account, restricted: true });
    expect((await ofKey())[0]).toBe('account_restricted');
    await set('accounts', { ...account, onboarding: 'pending' });
    expect([(await ofKey())[0], (await ofToken())[0]]).toEqual(['', 'onboarding_pending']);
    await set('plans', { ...plan, credentials: ['api_key'] });
    expect([(await ofKey())[0], (await ofToken())[0]]).toEqual(['', 'plan_access_denied']);
  });
});

describe('the audit log', () => {
  it('has the author, the time and both versions of each change, and no secrets', async () => {
    await using catalog = await startFresh();
    const started = Date.now();
    await createExamples(catalog.admin);
    await using other = connectCatalogAdmin({
      address: catalog.service.adminAddress ?? '',
      token: 'another-token-for-tests',
    });
    await update(other, 'plans', { ...plan, models: [] });
    const { id, key } = await other.createApiKey(ordered);
    await catalog.admin.revokeApiKey({ id });
    await catalog.admin.deleteResource({ kind: 'api_keys', id });
    await catalog.admin.issuePlaygroundToken({ project: project.id, account: account.id });

    const { records, nextBefore } = await catalog.admin.listAudit({});
    expect(nextBefore).toBe(0);
    const summary = ({ who, action, kind }: AuditRecord) => `${who} ${action} ${kind}`;
    expect(records.map(summary)).toEqual([
      'operator delete api_keys',
      'operator revoke api_keys',
      'other create api_keys',
      'other update plans',
      'operator create projects',
      'operator create organizations',
      'operator create accounts',
      'operator create models',
      'operator create plans',
    ]);
    const [deletion, revocation, , change] = records;
    expect(deletion?.after).toBeUndefined();
    expect(JSON.parse(deletion?.before ?? '')).toMatchObject({ id, last_four: key.slice(-4) });
    expect(JSON.parse(revocation?.before ?? '')).toMatchObject({ revoked_at_ms: null });
    expect(JSON.parse(change?.before ?? '')).toMatchObject({ models: plan.models });
    expect(JSON.parse(change?.after ?? '')).toMatchObject({ models: [] });
    for (const { atMs } of records) expect(atMs).toBeGreaterThanOrEqual(started);
    const text = JSON.stringify(records);
    expect(text).not.toContain(apiKeyDigest(key).toString('hex'));
    expect(text).not.toContain(key);

    const page = await catalog.admin.listAudit({ kind: 'api_keys', limit: 2 });
    expect(page.records.map(({ action }) => action)).toEqual(['delete', 'revoke']);
    const rest = await catalog.admin.listAudit({ kind: 'api_keys', before: page.nextBefore });
    expect(rest.records.map(({ action }) => action)).toEqual(['create']);
  });

  it('keeps as many of the last changes of each entry as is set', async () => {
    await using catalog = await startFresh({ environment: { CATALOG_HISTORY: '3' } });
    await create(catalog.admin, 'plans', plan);
    for (const name of ['a', 'b', 'c', 'd']) {
      await update(catalog.admin, 'plans', { ...plan, models: [name] });
    }
    const { records } = await catalog.admin.listAudit({ kind: 'plans', id: plan.id });
    expect(records.map(({ position }) => position?.sequence)).toEqual([5, 4, 3]);
    expect(JSON.parse(records.at(-1)?.before ?? '')).toMatchObject({ models: ['a'] });
  });
});
