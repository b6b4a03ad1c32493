import { beforeEach, describe, expect, it } from 'vitest';
import { apiKey, fill, plan } from '../../tests/example-documents.ts';
import { MemoryResourceStore } from '../../tests/memory-resource-store.ts';
import { encodeChange } from '../model/change-envelope.ts';
import type { ResourceStore } from '../model/resource-store.ts';
import { readAuditLog, type AuditQuery } from './audit-log.ts';

const everything: AuditQuery = { limit: 100 };

let store: MemoryResourceStore;
beforeEach(() => {
  store = new MemoryResourceStore();
});

const read = (query: Partial<AuditQuery> = {}) =>
  readAuditLog(store, store.state.position, { ...everything, ...query });
const sequences = async (query: Partial<AuditQuery> = {}) =>
  (await read(query)).records.map(({ sequence }) => sequence);

describe('the audit log', () => {
  it('has the newest change first, with its author', async () => {
    fill(store);
    const { records, next } = await read();
    expect(next).toBeUndefined();
    expect(records.map(({ kind }) => kind)).toEqual([
      'api_keys',
      'projects',
      'organizations',
      'accounts',
      'models',
      'plans',
    ]);
    expect(records.at(-1)).toMatchObject({
      who: 'other',
      action: 'create',
      id: plan.id,
      before: null,
    });
  });

  it('shows keys without their digests', async () => {
    store.put('api_keys', apiKey);
    const { records } = await read();
    expect(records[0]?.after).toMatchObject({ id: apiKey.id, last_four: 'abcd' });
    expect(JSON.stringify(records)).not.toContain(apiKey.sha256);
    const document = store.state.get('api_keys', apiKey.id)?.document ?? null;
    const change = { change: 'c', action: 'delete', by: 'ada', atMs: 0 } as const;
    store.append(
      `api_keys/${apiKey.id}`,
      encodeChange({ ...change, before: document, document: null }),
    );
    const [deleted] = (await read()).records;
    expect(deleted).toMatchObject({ action: 'delete', before: { id: apiKey.id }, after: null });
    expect(JSON.stringify(deleted)).not.toContain(apiKey.sha256);
  });

  it('can be read page by page, and for one kind or id', async () => {
    fill(store);
    store.put('plans', { ...plan, id: 'second' });
    store.put('plans', { ...plan, models: [] });
    expect(await read({ limit: 3 })).toMatchObject({ next: 6 });
    expect(await sequences({ limit: 3 })).toEqual([8, 7, 6]);
    expect(await sequences({ before: 6, limit: 3 })).toEqual([5, 4, 3]);
    expect(await sequences({ before: 3, limit: 2 })).toEqual([2, 1]);
    expect((await read({ before: 3, limit: 2 })).next).toBeUndefined();
    expect(await sequences({ kind: 'plans' })).toEqual([8, 7, 1]);
    expect(await sequences({ kind: 'plans', id: plan.id })).toEqual([8, 1]);
  });

  it('reaches back through a long history', async () => {
    for (let count = 0; count < 2_500; count += 1) store.append('accounts/a', undefined);
    store.put('plans', plan);
    expect(await sequences({ limit: 5_000 })).toEqual(
      Array.from({ length: 2_501 }, (_, place) => 2_501 - place),
    );
  });

  it('ends a page without records if a search would take too long', async () => {
    store.put('plans', plan);
    for (let count = 0; count < 25_000; count += 1) store.append('accounts/a', undefined);
    const { records, next } = await read({ kind: 'plans' });
    expect(records).toEqual([]);
    expect(next).toBe(5_002);
    expect(await sequences({ kind: 'plans', before: next })).toEqual([1]);
    expect((await read({ kind: 'plans', before: next })).next).toBeUndefined();
  });

  it('starts at the end of the store if it is asked to start beyond it', async () => {
    store.put('plans', plan);
    store.put('plans', { ...plan, models: [] });
    const { position } = store.state;
    const looked: number[][] = [];
    const watched: ResourceStore = {
      write: () => Promise.reject(new Error('nothing is written')),
      end: () => store.end(),
      history: (from, to) => {
        looked.push([from, to]);
        return store.history(from, to);
      },
    };
    const { records } = await readAuditLog(watched, position, { ...everything, before: 1_000_000 });
    expect(records.map(({ sequence }) => sequence)).toEqual([2, 1]);
    expect(looked).toEqual([[1, 2]]);
  });

  it("leaves out the catalog's own keys unless they are asked for", async () => {
    store.put(
      'signing_keys',
      { id: 'k', public_key: 'x'.repeat(43), created_at_ms: 0, expires_at_ms: 0 },
      'catalog',
    );
    expect(await sequences()).toEqual([]);
    expect((await read({ kind: 'signing_keys' })).records[0]).toMatchObject({ who: 'catalog' });
  });

  it('shows changes that other tools made', async () => {
    store.append('plans/by-hand', Buffer.from('whatever'));
    store.append('plans/by-hand', undefined);
    expect((await read()).records).toEqual([
      expect.objectContaining({ sequence: 2, action: 'foreign', id: 'by-hand', who: '' }),
      expect.objectContaining({ sequence: 1, action: 'foreign', id: 'by-hand', who: '' }),
    ]);
  });
});
