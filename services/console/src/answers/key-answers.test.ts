import { RpcError, type ConsoleReply, type UsageClient } from '@sluice/rpc';
import { expect, it } from 'vitest';
import type { AskCatalog } from './answers.ts';
import { keyAnswers } from './key-answers.ts';

const KEY: ConsoleReply<'RevokeApiKey'> = {
  id: 'key-1',
  project: 'web',
  name: 'Shop',
  creator: 'ada',
  creatorName: 'Ada',
  lastFour: 'x7Qm',
  createdAtMs: 1,
};

/** The page of keys of an organization with two keys. */
async function listKeys(lastUses: UsageClient['lastUses']) {
  const replies: Readonly<Record<string, object>> = {
    ListApiKeys: { keys: [KEY, { ...KEY, id: 'key-2' }], nextAfter: '', total: 2 },
    WhoAmI: { account: 'ada', organizations: [{ id: 'acme', role: 'viewer' }] },
  };
  const ask = (async (name: string) => replies[name]) as unknown as AskCatalog;
  const answers = keyAnswers({ usage: { lastUses }, wallClock: () => 5 });
  return answers.listKeys({ params: { organization: 'acme' }, query: {}, body: undefined }, ask);
}

it('asks once for the last uses of all keys of a page', async () => {
  const asked: unknown[] = [];
  const { keys, last_use_known: known } = await listKeys(async (request) => {
    asked.push(request);
    return { uses: [{ credential: 'key-2', lastUsedAtMs: 4 }], freshness: null };
  });
  expect(asked).toEqual([{ credentials: ['key-1', 'key-2'] }]);
  expect(keys.map((key) => key.last_used_at_ms)).toEqual([null, 4]);
  expect(known).toBe(true);
});

it('shows keys without their last use while usage fails', async () => {
  const { keys, last_use_known: known } = await listKeys(async () => {
    throw new RpcError('unavailable', 'usage is down');
  });
  expect(keys).toHaveLength(2);
  expect(known).toBe(false);
});
