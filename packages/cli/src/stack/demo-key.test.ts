import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiKeyDigest, type ApiKey } from '@sluice/contracts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { catalogHolding } from '../catalog/catalog-fixture.ts';
import { demoKey } from './demo-key.ts';
import { stateFolderAt, type StateFolder } from './state-folder.ts';

let folder: StateFolder;

beforeEach(async () => {
  folder = stateFolderAt(await mkdtemp(join(tmpdir(), 'sluice-demo-key-')));
});
afterEach(async () => {
  await rm(folder.path, { recursive: true });
});

const key = (id: string, created_at_ms: number, changes: Partial<ApiKey> = {}): ApiKey => ({
  id,
  project: 'demo',
  name: 'sluice up',
  creator: 'demo',
  sha256: apiKeyDigest(`sk-${id}`).toString('hex'),
  last_four: 'abcd',
  created_at_ms,
  expires_at_ms: null,
  revoked_at_ms: null,
  ...changes,
});

interface Start {
  readonly held?: readonly ApiKey[];
  /** The id of the key that the catalog creates. */
  readonly creates: string;
}

/** Runs a start. Returns its key and the ids of the keys that it deleted. */
async function start({ held = [], creates }: Start) {
  const deleted: string[] = [];
  const admin = catalogHolding(
    { api_keys: held },
    {
      createApiKey: () => Promise.resolve({ id: creates, key: `sk-${creates}` }),
      deleteResource: ({ id = '' }) => {
        deleted.push(id);
        return Promise.resolve({ position: null });
      },
    },
  );
  return { key: await demoKey(admin, folder), deleted: deleted.toSorted() };
}

test('each start uses the same key, which is in a file for its owner only', async () => {
  expect(await start({ creates: 'one' })).toMatchObject({ key: 'sk-one' });
  expect((await stat(folder.demoKeyFile)).mode & 0o777).toBe(0o600);
  expect(await start({ held: [key('one', 1)], creates: 'two' })).toMatchObject({ key: 'sk-one' });
});

test.each([
  ['is unknown to the catalog', []],
  ['was revoked', [key('one', 1, { revoked_at_ms: 2 })]],
  ['is another one with the same id', [key('one', 1, { sha256: '0'.repeat(64) })]],
])('a key that %s is replaced', async (_how, held) => {
  await start({ creates: 'one' });
  expect(await start({ held, creates: 'two' })).toMatchObject({ key: 'sk-two' });
  expect(await start({ held: [key('two', 3)], creates: 'three' })).toMatchObject({ key: 'sk-two' });
});

test('the newest keys of earlier starts are kept, and keys of other tools are not changed', async () => {
  const held = [
    key('oldest', 1),
    key('newest', 7),
    key('of-a-person', 0, { name: 'my script' }),
    key('third', 3),
    key('second', 2),
    ...[4, 5, 6].map((at) => key(`made-at-${at}`, at)),
  ];
  expect(await start({ held, creates: 'newest' })).toEqual({
    key: 'sk-newest',
    deleted: ['oldest', 'second'],
  });
});
