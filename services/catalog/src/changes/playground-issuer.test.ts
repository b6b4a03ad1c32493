import { PLAYGROUND_TOKEN_LIFE_MS } from '@sluice/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { account, fill, organization, project } from '../../tests/example-documents.ts';
import { EPOCH, MemoryResourceStore } from '../../tests/memory-resource-store.ts';
import { resolvePlaygroundToken } from '../lookups/resolve-credential.ts';
import { ChangeWriter } from './change-writer.ts';
import { PlaygroundIssuer, SIGNING_KEY_LIFE_MS } from './playground-issuer.ts';

const START = 1_000_000;
const order = { project: project.id, account: account.id };

let store: MemoryResourceStore;
let nowMs: number;
const wallClock = () => nowMs;

function startIssuer() {
  const { state } = store;
  const writer = new ChangeWriter({
    state,
    store,
    wallClock,
    onChanged: () => undefined,
    timeoutMs: 500,
  });
  return new PlaygroundIssuer({ catalog: state, writer, wallClock });
}

beforeEach(() => {
  nowMs = START;
  store = new MemoryResourceStore();
  fill(store);
});

const resolves = (token: string) => resolvePlaygroundToken(store.state, token, nowMs) !== undefined;

describe('issuing playground tokens', () => {
  it('gives a member a token of ten minutes', async () => {
    const { token, expiresAtMs } = await startIssuer().issue(order);
    expect(expiresAtMs).toBe(START + 600_000);
    expect(resolves(token)).toBe(true);
    nowMs += PLAYGROUND_TOKEN_LIFE_MS;
    expect(resolves(token)).toBe(false);
  });

  it('does not check conditions that may change before the token is used', async () => {
    store.put('accounts', { ...account, access: 'waiting', onboarding: 'pending' });
    const { token } = await startIssuer().issue(order);
    expect(resolvePlaygroundToken(store.state, token, nowMs)?.accessRefusal).toBe(
      'platform_access_required',
    );
  });

  it('is refused to an account that is not a member, and for an unknown account or project', async () => {
    const issuer = startIssuer();
    store.put('accounts', { id: 'bob' });
    await expect(issuer.issue({ ...order, account: 'bob' })).rejects.toThrow(
      'account bob is not an active member of organization analytical',
    );
    await expect(issuer.issue({ ...order, account: 'eve' })).rejects.toThrow('no account eve');
    await expect(issuer.issue({ ...order, project: 'x' })).rejects.toThrow('no project x');
    expect(store.state.count('signing_keys')).toBe(0);
  });

  it('stores no private key', async () => {
    await startIssuer().issue(order);
    const key = Array.from(store.state.all('signing_keys'))[0]?.document;
    expect(Object.keys(key ?? {}).toSorted()).toEqual([
      'created_at_ms',
      'expires_at_ms',
      'id',
      'public_key',
    ]);
  });

  it('uses one key for an hour, then another; tokens of the old key stay valid', async () => {
    const issuer = startIssuer();
    await Promise.all([issuer.issue(order), issuer.issue(order)]);
    nowMs += SIGNING_KEY_LIFE_MS - 1;
    const { token: last } = await issuer.issue(order);
    expect(store.state.count('signing_keys')).toBe(1);
    nowMs += 1;
    const { token: next } = await issuer.issue(order);
    expect(store.state.count('signing_keys')).toBe(2);
    expect([resolves(last), resolves(next)]).toEqual([true, true]);
    nowMs += PLAYGROUND_TOKEN_LIFE_MS - 2;
    // Issuing a token also deletes expired keys.
    await startIssuer().issue(order);
    expect([resolves(last), resolves(next)]).toEqual([true, true]);
  });

  it('deletes the keys of all replicas when their tokens have expired', async () => {
    const { token } = await startIssuer().issue(order);
    nowMs += 3 * SIGNING_KEY_LIFE_MS;
    await startIssuer().issue(order);
    expect(store.state.count('signing_keys')).toBe(1);
    expect(resolves(token)).toBe(false);
  });

  it('makes a new key after the store was recreated', async () => {
    const issuer = startIssuer();
    await issuer.issue(order);
    store.entries.length = 0;
    store.state.reset(EPOCH + 1);
    store.state.caughtUp(0);
    fill(store);
    store.put('organizations', organization);
    const { token } = await issuer.issue(order);
    expect(resolves(token)).toBe(true);
  });
});
