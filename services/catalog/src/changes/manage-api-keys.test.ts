import { apiKeyDigest, isWellFormedApiKey } from '@sluice/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { account, apiKey, fill, organization, project } from '../../tests/example-documents.ts';
import { MemoryResourceStore } from '../../tests/memory-resource-store.ts';
import { planRevoke, mintRequestedApiKey } from './manage-api-keys.ts';

const NOW = 9_000;
const order = { project: project.id, name: 'laptop', creator: account.id, expiresAtMs: null };

let store: MemoryResourceStore;
beforeEach(() => {
  store = new MemoryResourceStore();
  fill(store);
});

describe('a new API key', () => {
  it('is stored as its digest and its last four characters only', () => {
    const { id, key, planChange } = mintRequestedApiKey({ ...order, expiresAtMs: NOW + 1 }, NOW);
    expect(isWellFormedApiKey(key)).toBe(true);
    const planned = planChange(store.state);
    expect(planned).toEqual({
      kind: 'api_keys',
      id,
      action: 'create',
      document: {
        id,
        project: project.id,
        name: 'laptop',
        creator: account.id,
        sha256: apiKeyDigest(key).toString('hex'),
        last_four: key.slice(-4),
        created_at_ms: NOW,
        expires_at_ms: NOW + 1,
        revoked_at_ms: null,
      },
    });
    expect(JSON.stringify(planned)).not.toContain(key.slice(3, 40));
  });

  it.each([
    ['an unknown project', { project: 'gone' }, 'there is no project gone'],
    ['an unknown creator', { creator: 'bob' }, 'there is no account bob'],
  ])('is refused for %s', (_name, change, message) => {
    const { planChange } = mintRequestedApiKey({ ...order, ...change }, NOW);
    expect(() => planChange(store.state)).toThrow(message);
  });

  it.each([
    ['waits for access', { access: 'waiting' }, 'is waiting for platform access'],
    ['is restricted', { restricted: true }, 'is restricted'],
  ])('is refused to an account that %s', (_name, change, message) => {
    store.put('accounts', { ...account, ...change });
    const { planChange } = mintRequestedApiKey(order, NOW);
    expect(() => planChange(store.state)).toThrow(message);
    expect(() => planChange(store.state)).toThrow(
      expect.objectContaining({ code: 'forbidden_by_state' }),
    );
  });

  it('is refused for an account that is not an active member', () => {
    store.put('accounts', { ...account, id: 'bob' });
    const { planChange } = mintRequestedApiKey({ ...order, creator: 'bob' }, NOW);
    const message = 'account bob is not an active member of organization analytical';
    expect(() => planChange(store.state)).toThrow(message);
    store.put('organizations', { ...organization, members: [{ account: 'bob', active: false }] });
    expect(() => planChange(store.state)).toThrow(message);
  });

  it('cannot be expired from the start, or have a very long name', () => {
    expect(() => mintRequestedApiKey({ ...order, expiresAtMs: NOW }, NOW)).toThrow('expired');
    expect(() => mintRequestedApiKey({ ...order, name: 'n'.repeat(129) }, NOW)).toThrow('name');
  });
});

describe('revoking an API key', () => {
  it('stores its time, keeps all other fields, and is done once', () => {
    const planChange = planRevoke(apiKey.id, NOW);
    expect(planChange(store.state)).toEqual({
      kind: 'api_keys',
      id: apiKey.id,
      action: 'revoke',
      document: { ...apiKey, revoked_at_ms: NOW },
    });
    store.put('api_keys', { ...apiKey, revoked_at_ms: 1 });
    expect(planChange(store.state)).toBe('nothing');
  });

  it('is refused for an unknown key', () => {
    expect(() => planRevoke('key_gone', NOW)(store.state)).toThrow('there is no API key key_gone');
  });
});
