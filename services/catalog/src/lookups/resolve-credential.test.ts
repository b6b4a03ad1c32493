import { beforeEach, describe, expect, it } from 'vitest';
import {
  account,
  apiKey,
  fill,
  organization,
  plan,
  project,
} from '../../tests/example-documents.ts';
import { EPOCH, MemoryResourceStore } from '../../tests/memory-resource-store.ts';
import type { CatalogView } from '../model/catalog-state.ts';
import { makeSigningKeyPair, signPlaygroundToken } from '../model/playground-token.ts';
import { ModelLists } from './model-lists.ts';
import { resolveApiKey, resolvePlaygroundToken } from './resolve-credential.ts';

const NOW = 2_000_000;
let store: MemoryResourceStore;
beforeEach(() => {
  store = new MemoryResourceStore();
  fill(store);
});

/** A state that fails on access to models: gateways keep resolved credentials when a model changes. */
function withoutModels(): CatalogView {
  const { state } = store;
  const refuse = (kind: string) => {
    if (kind === 'models') throw new Error('models were looked at');
  };
  return {
    get position() {
      return state.position;
    },
    get(kind, id) {
      refuse(kind);
      return state.get(kind, id);
    },
    all(kind) {
      refuse(kind);
      return state.all(kind);
    },
    count(kind) {
      refuse(kind);
      return state.count(kind);
    },
    changesOf(kind) {
      refuse(kind);
      return state.changesOf(kind);
    },
    apiKeyByDigest: (sha256) => state.apiKeyByDigest(sha256),
  };
}

/** As a catalog that started without the entries of a kind. */
function withoutAny(kind: string): CatalogView {
  const readable = new MemoryResourceStore();
  for (const entry of store.entries) {
    if (!entry.name.startsWith(`${kind}/`)) readable.append(entry.name, entry.value);
  }
  return readable.state;
}

const resolve = (now = NOW) => resolveApiKey(store.state, apiKey.sha256, now);

describe('an API key', () => {
  it('acts for its creator in its project', () => {
    expect(resolve()).toEqual({
      credentialKind: 'api_key',
      credentialId: apiKey.id,
      account: account.id,
      project: project.id,
      organization: organization.id,
      plan: plan.id,
      retention: 'standard',
      limits: plan.limits,
      limitsRevision: { epoch: EPOCH, sequence: 4 },
      scheduling: {},
      expiresAtMs: null,
      accessRefusal: undefined,
      billingRefusal: undefined,
    });
  });

  it('does not resolve if it is unknown, revoked, deleted or expired', () => {
    expect(resolveApiKey(store.state, 'f'.repeat(64), NOW)).toBeUndefined();
    store.put('api_keys', { ...apiKey, revoked_at_ms: NOW });
    expect(resolve()).toBeUndefined();
    store.put('api_keys', { ...apiKey, expires_at_ms: NOW });
    expect(resolve()).toBeUndefined();
    expect(resolve(NOW - 1)).toMatchObject({ expiresAtMs: NOW });
    store.append(`api_keys/${apiKey.id}`, undefined);
    expect(resolve(NOW - 1)).toBeUndefined();
  });

  it('does not resolve by an old digest', () => {
    store.put('api_keys', { ...apiKey, sha256: '1'.repeat(64) });
    expect(resolve()).toBeUndefined();
    expect(resolveApiKey(store.state, '1'.repeat(64), NOW)?.credentialId).toBe(apiKey.id);
  });

  it("has its plan's limits, each replaced by the organization's own", () => {
    store.put('organizations', {
      ...organization,
      limits: { requests_per_minute: 0, tokens_per_day: null, requests_per_day: 7 },
    });
    expect(resolve()?.limits).toEqual({
      requests_per_minute: 0,
      requests_per_day: 7,
      tokens_per_minute: 1_000,
      tokens_per_day: null,
    });
  });

  it('has limits of a revision that grows with its plan and its organization, and with nothing else', () => {
    const revision = () => resolve()?.limitsRevision.sequence;
    const before = revision();
    store.put('accounts', { ...account, restricted: true });
    store.put('plans', { ...plan, id: 'other' });
    expect(revision()).toBe(before);
    store.put('plans', { ...plan, limits: {} });
    const afterPlan = store.state.position.sequence;
    expect(revision()).toBe(afterPlan);
    // The other plan is older than the one it leaves.
    store.put('organizations', { ...organization, plan: 'other' });
    expect(revision()).toBe(afterPlan + 1);
  });

  it('resolves completely even if access is refused', () => {
    store.put('accounts', { ...account, access: 'waiting' });
    store.put('organizations', { ...organization, billing: 'exhausted' });
    expect(resolve()).toMatchObject({
      organization: organization.id,
      accessRefusal: 'platform_access_required',
      billingRefusal: 'insufficient_quota',
    });
  });

  it('is resolved without reading any model', () => {
    expect(resolveApiKey(withoutModels(), apiKey.sha256, NOW)).toEqual(resolve());
  });

  it.each(['accounts', 'projects', 'organizations', 'plans'])(
    'is neither good nor bad while its entry of %s cannot be read, or was skipped',
    (kind) => {
      const damaged = store.entries.find(({ name }) => name.startsWith(`${kind}/`));
      store.append(damaged?.name ?? '', Buffer.from('{damaged'));
      expect(() => resolve()).toThrow(expect.objectContaining({ code: 'unavailable' }));
      expect(() => resolveApiKey(withoutAny(kind), apiKey.sha256, NOW)).toThrow(
        expect.objectContaining({ code: 'unavailable' }),
      );
    },
  );

  it('is unknown if its own entry was skipped', () => {
    expect(resolveApiKey(withoutAny('api_keys'), apiKey.sha256, NOW)).toBeUndefined();
  });
});

describe('a playground token', () => {
  const pair = makeSigningKeyPair();
  const claims = {
    id: 'pgt_one',
    key: pair.id,
    account: account.id,
    project: project.id,
    expires_at_ms: NOW + 1,
  };
  const publish = () =>
    store.put('signing_keys', {
      id: pair.id,
      public_key: pair.publicKey,
      created_at_ms: 0,
      expires_at_ms: NOW,
    });

  it('acts for its account until it expires', () => {
    publish();
    const token = signPlaygroundToken(claims, pair);
    expect(resolvePlaygroundToken(store.state, token, NOW)).toMatchObject({
      credentialKind: 'playground',
      credentialId: 'pgt_one',
      account: account.id,
      project: project.id,
      expiresAtMs: NOW + 1,
      accessRefusal: undefined,
    });
    expect(resolvePlaygroundToken(store.state, token, NOW + 1)).toBeUndefined();
  });

  it('is resolved without reading any model', () => {
    publish();
    const token = signPlaygroundToken(claims, pair);
    const resolved = resolvePlaygroundToken(withoutModels(), token, NOW);
    expect(resolved).toMatchObject({ credentialId: 'pgt_one' });
    expect(resolved).toEqual(resolvePlaygroundToken(store.state, token, NOW));
  });

  it('does not resolve if its signing key, account or project does not exist', () => {
    const token = signPlaygroundToken(claims, pair);
    expect(resolvePlaygroundToken(store.state, token, NOW)).toBeUndefined();
    publish();
    for (const gone of [{ account: 'bob' }, { project: 'gone' }]) {
      const stray = signPlaygroundToken({ ...claims, ...gone }, pair);
      expect(resolvePlaygroundToken(store.state, stray, NOW)).toBeUndefined();
    }
  });

  it('is refused by a plan that excludes the playground', () => {
    publish();
    store.put('plans', { ...plan, credentials: ['api_key'] });
    const token = signPlaygroundToken(claims, pair);
    expect(resolvePlaygroundToken(store.state, token, NOW)?.accessRefusal).toBe(
      'plan_access_denied',
    );
  });
});

describe("an organization's models", () => {
  it('are those of its plan, in the order of their ids', () => {
    for (const id of ['zeta', 'plain', 'acme/alpha', 'acme/Beta']) {
      store.put('models', { id, owned_by: 'x', pool: 'default', runtime_model: 'x' });
    }
    expect(new ModelLists(store.state).listOf(organization.id).map(({ id }) => id)).toEqual([
      'acme/Beta',
      'acme/alpha',
      'acme/thinker-70b',
      'plain',
    ]);
  });

  it('cannot be listed for an unknown organization', () => {
    expect(() => new ModelLists(store.state).listOf('nobody')).toThrow(
      'there is no organization nobody',
    );
  });
});
