import type { Revision } from '@sluice/contracts';
import { describe, expect, test } from 'vitest';
import { AnswerCache, TooManyLookupsError } from './answer-cache.ts';
import { CatalogChanges } from './catalog-changes.ts';

const at = (sequence: number, epoch = 1): Revision => ({ epoch, sequence });
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function setUp(
  options: { maximumEntries?: number; maximumPending?: number; staleMs?: number } = {},
) {
  let now = 0;
  const changes = new CatalogChanges();
  const cache = new AnswerCache<string>({
    changes,
    organizationOf: (key) => key,
    dependsOnModels: true,
    freshMs: 10,
    staleMs: options.staleMs ?? 100,
    maximumEntries: options.maximumEntries ?? 100,
    maximumPending: options.maximumPending ?? 100,
    clock: () => now,
  });
  const asked: { key: string; atLeast: Revision }[] = [];
  let answer: string | undefined = 'first';
  let revision = at(1);
  let down = false;
  const get = (key: string) =>
    cache.get(key, (atLeast) => {
      asked.push({ key, atLeast });
      return down
        ? Promise.reject(new Error('down'))
        : Promise.resolve({
            answer,
            revision: revision.sequence < atLeast.sequence ? atLeast : revision,
          });
    });
  return {
    cache,
    changes,
    asked,
    get,
    set: (change: {
      answer?: string | undefined;
      revision?: Revision;
      down?: boolean;
      now?: number;
    }) => {
      if ('answer' in change) answer = change.answer;
      if (change.revision !== undefined) revision = change.revision;
      if (change.down !== undefined) down = change.down;
      if (change.now !== undefined) now = change.now;
    },
  };
}

describe('an answer', () => {
  test('is used until it is too old, then requested again', async () => {
    const { get, set, asked } = setUp();
    expect(await get('a')).toBe('first');
    set({ now: 9, answer: 'second' });
    expect(await get('a')).toBe('first');
    set({ now: 10 });
    expect(await get('a')).toBe('second');
    expect(asked).toHaveLength(2);
  });

  test('is requested again after a change, at that revision or a later one', async () => {
    const { get, set, asked, changes } = setUp();
    await get('a');
    changes.noteChange(at(5));
    set({ answer: 'second' });
    expect(await get('a')).toBe('second');
    expect(asked[1]?.atLeast).toEqual(at(5));
    await get('a');
    expect(asked).toHaveLength(2);
  });

  test('survives changes of other organizations, unless a notice is missing', async () => {
    const { get, set, asked, changes } = setUp();
    changes.noteChange(at(1));
    await get('a');
    await get('b');
    changes.noteChange({ ...at(2), organizations: ['b', 'c'] });
    changes.noteChange({ ...at(3), organizations: [] });
    await get('a');
    expect(asked).toHaveLength(2);
    await get('b');
    expect(asked[2]).toEqual({ key: 'b', atLeast: at(3) });
    set({ revision: at(3) });
    changes.noteChange({ ...at(5), organizations: ['b'] });
    await get('a');
    expect(asked[3]).toEqual({ key: 'a', atLeast: at(5) });
  });

  test('about an unknown entry is requested again after any change', async () => {
    const { get, set, asked, changes } = setUp();
    changes.noteChange(at(1));
    set({ answer: undefined });
    await get('a');
    changes.noteChange({ ...at(2), organizations: ['b'] });
    set({ answer: 'made' });
    expect(await get('a')).toBe('made');
    expect(asked).toHaveLength(2);
  });

  test('survives an older change, but not a change from a newer store', async () => {
    const { get, set, asked, changes } = setUp();
    set({ revision: at(7) });
    await get('a');
    changes.noteChange(at(6));
    await get('a');
    expect(asked).toHaveLength(1);
    changes.noteChange(at(1, 2));
    changes.noteChange(at(9, 1));
    await get('a');
    expect(asked[1]?.atLeast).toEqual(at(1, 2));
  });

  test('is requested again when notices may have been lost', async () => {
    const { get, set, asked, changes } = setUp();
    await get('a');
    set({ now: 1 });
    changes.invalidateAll(1);
    await get('a');
    expect(asked).toHaveLength(2);
  });

  test('ages from the time of the call, not of the reply', async () => {
    const { cache, set, get } = setUp();
    const slow = Promise.withResolvers<{ answer: string; revision: Revision }>();
    const first = cache.get('a', () => slow.promise);
    set({ now: 9, answer: 'second' });
    slow.resolve({ answer: 'first', revision: at(1) });
    expect(await first).toBe('first');
    set({ now: 10 });
    expect(await get('a')).toBe('second');
  });

  test('is requested once by concurrent callers', async () => {
    const { get, asked } = setUp();
    await Promise.all([get('a'), get('a'), get('a')]);
    expect(asked).toHaveLength(1);
  });

  test('requested before a change is not used by callers after the change', async () => {
    const { cache, changes } = setUp();
    const slow = Promise.withResolvers<{ answer: string; revision: Revision }>();
    const before = cache.get('a', () => slow.promise);
    changes.noteChange(at(2));
    const after = cache.get('a', () => Promise.resolve({ answer: 'new', revision: at(2) }));
    expect(await after).toBe('new');
    slow.resolve({ answer: 'old', revision: at(1) });
    expect(await before).toBe('old');
    expect(await cache.get('a', () => Promise.resolve({ answer: 'new', revision: at(2) }))).toBe(
      'new',
    );
  });
});

describe('while the catalog is unreachable', () => {
  test('known entries stay usable for a limited time, and not every request waits for a failure', async () => {
    const { get, set, asked } = setUp();
    await get('a');
    set({ down: true, now: 50 });
    for (let count = 0; count < 5; count += 1) {
      expect(await get('a')).toBe('first');
      await turn();
    }
    expect(asked).toHaveLength(3);
    set({ now: 100 });
    await expect(get('a')).rejects.toThrow('down');
  });

  test('entries are refreshed in the background from time to time', async () => {
    const { cache, get, set } = setUp({ staleMs: 10_000 });
    await get('a');
    await get('b');
    set({ down: true, now: 50 });
    await get('b');
    const slow = Promise.withResolvers<{ answer: string; revision: Revision }>();
    expect(await cache.get('a', () => slow.promise)).toBe('first');
    const again = () => cache.get('a', () => Promise.reject(new Error('asked twice')));
    expect(await again()).toBe('first');
    slow.resolve({ answer: 'second', revision: at(1) });
    await expect.poll(again, { interval: 1 }).toBe('second');
  });

  test('requests wait for the catalog again once it has answered', async () => {
    const { get, set } = setUp({ staleMs: 10_000 });
    await get('a');
    set({ down: true, now: 50 });
    await get('a');
    set({ down: false, now: 60, answer: 'second' });
    expect(await get('b')).toBe('second');
    expect(await get('a')).toBe('second');
  });

  test('a change, or a possibly lost notice, makes requests wait for the catalog again', async () => {
    const { get, set, changes } = setUp();
    await get('a');
    set({ down: true, now: 50 });
    expect(await get('a')).toBe('first');
    set({ down: false, now: 51, answer: 'second' });
    expect(await get('a')).toBe('first');
    changes.noteChange(at(2));
    expect(await get('a')).toBe('second');
    set({ down: true, now: 70 });
    expect(await get('a')).toBe('second');
    set({ down: false, now: 71, answer: undefined });
    changes.invalidateAll(71);
    expect(await get('a')).toBeUndefined();
  });

  test('only entries without a known change stay usable', async () => {
    const { get, set, changes } = setUp();
    changes.noteChange(at(1));
    await get('a');
    await get('b');
    set({ down: true, now: 1 });
    changes.noteChange({ ...at(2), organizations: ['a'] });
    await expect(get('a')).rejects.toThrow('down');
    await expect(get('a')).rejects.toThrow('down');
    set({ now: 50 });
    expect(await get('b')).toBe('first');
    set({ down: false, answer: undefined });
    expect(await get('a')).toBeUndefined();
  });

  test('a changed entry is looked up even if the limit of pending look-ups is reached', async () => {
    const { cache, get, set, changes } = setUp({ maximumPending: 1 });
    changes.noteChange(at(1));
    await get('a');
    changes.noteChange({ ...at(2), organizations: ['a'] });
    const slow = Promise.withResolvers<{ answer: string; revision: Revision }>();
    const other = cache.get('b', () => slow.promise);
    set({ answer: 'second' });
    expect(await get('a')).toBe('second');
    slow.resolve({ answer: 'x', revision: at(2) });
    await other;
  });

  test('the answer of a store that ends before the newest change is accepted', async () => {
    const { cache, asked, changes } = setUp();
    changes.noteChange(at(100));
    const get = () =>
      cache.get('a', (atLeast) => {
        asked.push({ key: 'a', atLeast });
        return Promise.resolve({ answer: 'restored', revision: at(80) });
      });
    expect([await get(), await get()]).toEqual(['restored', 'restored']);
    expect(asked).toHaveLength(1);
  });

  test('a deleted entry does not come back', async () => {
    const { get, set } = setUp();
    await get('a');
    set({ now: 10, answer: undefined });
    expect(await get('a')).toBeUndefined();
    set({ now: 20, down: true });
    await expect(get('a')).rejects.toThrow('down');
  });

  test('a negative answer is not used beyond its fresh time', async () => {
    const { get, set } = setUp();
    set({ answer: undefined });
    expect(await get('a')).toBeUndefined();
    set({ down: true, now: 50 });
    await expect(get('a')).rejects.toThrow('down');
  });
});

describe('the size of the cache', () => {
  test('is bounded, and a flood of unknown keys does not evict known ones', async () => {
    const { get, set, asked } = setUp({ maximumEntries: 2 });
    await get('known');
    set({ answer: undefined });
    for (let count = 0; count < 50; count += 1) await get(`unknown ${count}`);
    const before = asked.length;
    expect(await get('known')).toBe('first');
    await get('unknown 49');
    await get('unknown 48');
    expect(asked).toHaveLength(before);
    await get('unknown 47');
    expect(asked).toHaveLength(before + 1);
  });

  test('is kept by evicting the entries that were requested longest ago', async () => {
    const { get, set, asked } = setUp({ maximumEntries: 2 });
    await get('a');
    await get('b');
    set({ now: 10 });
    await get('a');
    await get('c');
    const before = asked.length;
    await get('a');
    expect(asked).toHaveLength(before);
    await get('b');
    expect(asked).toHaveLength(before + 1);
  });

  test('is kept by evicting several entries at once', async () => {
    const { get, asked } = setUp({ maximumEntries: 64 });
    for (let count = 0; count < 65; count += 1) await get(`key ${count}`);
    expect(asked).toHaveLength(65);
    // The first three were evicted together.
    await get('key 1');
    await get('key 2');
    expect(asked).toHaveLength(65 + 2);
    for (let count = 3; count < 65; count += 1) await get(`key ${count}`);
    expect(asked).toHaveLength(65 + 2);
  });

  test('is bounded for pending look-ups too', async () => {
    const { cache } = setUp({ maximumPending: 1 });
    const slow = Promise.withResolvers<{ answer: string; revision: Revision }>();
    const first = cache.get('a', () => slow.promise);
    await expect(cache.get('b', () => slow.promise)).rejects.toThrow(TooManyLookupsError);
    slow.resolve({ answer: 'x', revision: at(1) });
    await first;
    expect(await cache.get('b', () => slow.promise)).toBe('x');
  });
});
