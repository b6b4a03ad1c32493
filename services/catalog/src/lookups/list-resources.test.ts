import { beforeEach, describe, expect, it } from 'vitest';
import { apiKey, fill, model } from '../../tests/example-documents.ts';
import { MemoryResourceStore } from '../../tests/memory-resource-store.ts';
import { listResources } from './list-resources.ts';

let store: MemoryResourceStore;
beforeEach(() => {
  store = new MemoryResourceStore();
  fill(store);
});

const page = (after: string | undefined, limit: number) => {
  const { page, next } = listResources(store.state, 'models', { after, limit });
  return { ids: page.map(({ document }) => document.id), next };
};

describe('listing', () => {
  it('returns the pages in the order of ids, and marks the last one', () => {
    for (const id of ['c', 'a', 'B', 'b']) store.put('models', { ...model, id });
    expect(page(undefined, 2)).toEqual({ ids: ['B', 'a'], next: 'a' });
    expect(page('a', 2)).toEqual({ ids: [model.id, 'b'], next: 'b' });
    expect(page('b', 2)).toEqual({ ids: ['c'], next: undefined });
    expect(page(undefined, 5).next).toBeUndefined();
  });

  it.each([1, 3, 50, 1_000])('returns everything once with %i per page', (limit) => {
    // 1,009 is prime, so that this goes through all of them, in no order.
    const ids = Array.from({ length: 1_009 }, (_, index) => `m${(index * 379) % 1_009}`);
    for (const id of ids) store.put('models', { ...model, id });
    const told: string[] = [];
    let after: string | undefined;
    do {
      const { ids: more, next } = page(after, limit);
      told.push(...more);
      after = next;
    } while (after !== undefined);
    expect(told).toEqual([...ids, model.id].toSorted());
  });

  it('returns the keys of one project', () => {
    store.put('api_keys', { ...apiKey, id: 'key_two', project: 'other', sha256: '1'.repeat(64) });
    const { page } = listResources(store.state, 'api_keys', {
      limit: 10,
      project: 'other',
    });
    expect(page.map(({ document }) => document.id)).toEqual(['key_two']);
  });
});
