import type { Revision } from '@sluice/contracts';
import { describe, expect, test } from 'vitest';
import { AnswerCache, TooManyLookupsError } from './answer-cache.ts';
import { CatalogKnowledge } from './catalog-knowledge.ts';

const at = (sequence: number, epoch = 1): Revision => ({ epoch, sequence });
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function setUp(
  options: { maximumEntries?: number; maximumPending?: number; staleMs?: number } = {},
) {
  let now = 0;
  const knowledge = new CatalogKnowledge();
  const cache = new AnswerCache<string>({
    knowledge,
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
  let position = at(1);
  let down = false;
  const get = (key: string) =>
    cache.get(key, (atLeast) => {
      asked.push({ key, atLeast });
      return down
        ? Promise.reject(new Error('down'))
        : Promise.resolve({
            answer,
            position: position.sequence < atLeast.sequence ? atLeast : position,
          });
    });
  return {
    cache,
    knowledge,
    asked,
    get,
    set: (change: {
      answer?: string | undefined;
      position?: Revision;
      down?: boolean;
      now?: number;
    }) => {
      if ('answer' in change) answer = change.answer;
      if (change.position !== undefined) position = change.position;
      if (change.down !== undefined) down = change.down;
      if (change.now !== undefined) now = change.now;
    },
  };
}

describe('an answer', () => {
  test('serves until it is too old, then is asked for again', async () => {
    const { get, set, asked } = setUp();
    expect(await get('a')).toBe('first');
    set({ now: 9, answer: 'second' });
    expect(await get('a')).toBe('first');
    set({ now: 10 });
    expect(await get('a')).toBe('second');
    expect(asked).toHaveLength(2);
  });

  test('is asked for again after news of a change, at that place at least', async () => {
    const { get, set, asked, knowledge } = setUp();
    await get('a');
    knowledge.noteChange(at(5));
    set({ answer: 'second' });
    expect(await get('a')).toBe('second');
    expect(asked[1]?.atLeast).toEqual(at(5));
    await get('a');
    expect(asked).toHaveLength(2);
  });

  test('outlives news that concerns others, unless some of it is missing', async () => {
    const { get, set, asked, knowledge } = setUp();
    knowledge.noteChange(at(1));
    await get('a');
    await get('b');
    knowledge.noteChange({ ...at(2), organizations: ['b', 'c'] });
    knowledge.noteChange({ ...at(3), organizations: [] });
    await get('a');
    expect(asked).toHaveLength(2);
    await get('b');
    expect(asked[2]).toEqual({ key: 'b', atLeast: at(3) });
    set({ position: at(3) });
    knowledge.noteChange({ ...at(5), organizations: ['b'] });
    await get('a');
    expect(asked[3]).toEqual({ key: 'a', atLeast: at(5) });
  });

  test('that a thing is unknown is asked for again after any news', async () => {
    const { get, set, asked, knowledge } = setUp();
    knowledge.noteChange(at(1));
    set({ answer: undefined });
    await get('a');
    knowledge.noteChange({ ...at(2), organizations: ['b'] });
    set({ answer: 'made' });
    expect(await get('a')).toBe('made');
    expect(asked).toHaveLength(2);
  });

  test('outlives old news, and falls to news of a younger store', async () => {
    const { get, set, asked, knowledge } = setUp();
    set({ position: at(7) });
    await get('a');
    knowledge.noteChange(at(6));
    await get('a');
    expect(asked).toHaveLength(1);
    knowledge.noteChange(at(1, 2));
    knowledge.noteChange(at(9, 1));
    await get('a');
    expect(asked[1]?.atLeast).toEqual(at(1, 2));
  });

  test('is asked for again after a time in which news may have been missed', async () => {
    const { get, set, asked, knowledge } = setUp();
    await get('a');
    set({ now: 1 });
    knowledge.noteMissedNews(1);
    await get('a');
    expect(asked).toHaveLength(2);
  });

  test('is as old as its question', async () => {
    const { cache, set, get } = setUp();
    const slow = Promise.withResolvers<{ answer: string; position: Revision }>();
    const first = cache.get('a', () => slow.promise);
    set({ now: 9, answer: 'second' });
    slow.resolve({ answer: 'first', position: at(1) });
    expect(await first).toBe('first');
    set({ now: 10 });
    expect(await get('a')).toBe('second');
  });

  test('is asked for once by many at a time', async () => {
    const { get, asked } = setUp();
    await Promise.all([get('a'), get('a'), get('a')]);
    expect(asked).toHaveLength(1);
  });

  test('that came to one asked before the news does not serve those after it', async () => {
    const { cache, knowledge } = setUp();
    const slow = Promise.withResolvers<{ answer: string; position: Revision }>();
    const before = cache.get('a', () => slow.promise);
    knowledge.noteChange(at(2));
    const after = cache.get('a', () => Promise.resolve({ answer: 'new', position: at(2) }));
    expect(await after).toBe('new');
    slow.resolve({ answer: 'old', position: at(1) });
    expect(await before).toBe('old');
    expect(await cache.get('a', () => Promise.resolve({ answer: 'new', position: at(2) }))).toBe(
      'new',
    );
  });
});

describe('while the catalog cannot be asked', () => {
  test('known things go on for a set time, without each request waiting for a failure', async () => {
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

  test('it is asked again from time to time, and no request waits for that', async () => {
    const { cache, get, set } = setUp({ staleMs: 10_000 });
    await get('a');
    await get('b');
    set({ down: true, now: 50 });
    await get('b');
    const slow = Promise.withResolvers<{ answer: string; position: Revision }>();
    expect(await cache.get('a', () => slow.promise)).toBe('first');
    const again = () => cache.get('a', () => Promise.reject(new Error('asked twice')));
    expect(await again()).toBe('first');
    slow.resolve({ answer: 'second', position: at(1) });
    await expect.poll(again, { interval: 1 }).toBe('second');
  });

  test('requests wait for it again as soon as it has answered', async () => {
    const { get, set } = setUp({ staleMs: 10_000 });
    await get('a');
    set({ down: true, now: 50 });
    await get('a');
    set({ down: false, now: 60, answer: 'second' });
    expect(await get('b')).toBe('second');
    expect(await get('a')).toBe('second');
  });

  test('news of a change, or that some was missed, is reason enough to wait for it', async () => {
    const { get, set, knowledge } = setUp();
    await get('a');
    set({ down: true, now: 50 });
    expect(await get('a')).toBe('first');
    set({ down: false, now: 51, answer: 'second' });
    expect(await get('a')).toBe('first');
    knowledge.noteChange(at(2));
    expect(await get('a')).toBe('second');
    set({ down: true, now: 70 });
    expect(await get('a')).toBe('second');
    set({ down: false, now: 71, answer: undefined });
    knowledge.noteMissedNews(71);
    expect(await get('a')).toBeUndefined();
  });

  test('what is known to have changed does not go on, and the rest does', async () => {
    const { get, set, knowledge } = setUp();
    knowledge.noteChange(at(1));
    await get('a');
    await get('b');
    set({ down: true, now: 1 });
    knowledge.noteChange({ ...at(2), organizations: ['a'] });
    await expect(get('a')).rejects.toThrow('down');
    await expect(get('a')).rejects.toThrow('down');
    set({ now: 50 });
    expect(await get('b')).toBe('first');
    set({ down: false, answer: undefined });
    expect(await get('a')).toBeUndefined();
  });

  test('what is known to have changed is asked for, however many look-ups are under way', async () => {
    const { cache, get, set, knowledge } = setUp({ maximumPending: 1 });
    knowledge.noteChange(at(1));
    await get('a');
    knowledge.noteChange({ ...at(2), organizations: ['a'] });
    const slow = Promise.withResolvers<{ answer: string; position: Revision }>();
    const other = cache.get('b', () => slow.promise);
    set({ answer: 'second' });
    expect(await get('a')).toBe('second');
    slow.resolve({ answer: 'x', position: at(2) });
    await other;
  });

  test('the answer of a store that ends before the newest change is an answer', async () => {
    const { cache, asked, knowledge } = setUp();
    knowledge.noteChange(at(100));
    const get = () =>
      cache.get('a', (atLeast) => {
        asked.push({ key: 'a', atLeast });
        return Promise.resolve({ answer: 'restored', position: at(80) });
      });
    expect([await get(), await get()]).toEqual(['restored', 'restored']);
    expect(asked).toHaveLength(1);
  });

  test('what was known to be gone does not come back', async () => {
    const { get, set } = setUp();
    await get('a');
    set({ now: 10, answer: undefined });
    expect(await get('a')).toBeUndefined();
    set({ now: 20, down: true });
    await expect(get('a')).rejects.toThrow('down');
  });

  test('things that were unknown are not known to be unknown still', async () => {
    const { get, set } = setUp();
    set({ answer: undefined });
    expect(await get('a')).toBeUndefined();
    set({ down: true, now: 50 });
    await expect(get('a')).rejects.toThrow('down');
  });
});

describe('memory', () => {
  test('is bounded, and a flood of unknown things leaves the known ones alone', async () => {
    const { get, set, asked } = setUp({ maximumEntries: 2 });
    await get('known');
    set({ answer: undefined });
    for (let count = 0; count < 50; count += 1) await get(`stranger ${count}`);
    const before = asked.length;
    expect(await get('known')).toBe('first');
    await get('stranger 49');
    await get('stranger 48');
    expect(asked).toHaveLength(before);
    await get('stranger 47');
    expect(asked).toHaveLength(before + 1);
  });

  test('is first taken from what has not been asked for in the longest time', async () => {
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

  test('is taken from many at once where there are many, and then from nobody for a while', async () => {
    const { get, asked } = setUp({ maximumEntries: 64 });
    for (let count = 0; count < 65; count += 1) await get(`key ${count}`);
    expect(asked).toHaveLength(65);
    // The first three went together.
    await get('key 1');
    await get('key 2');
    expect(asked).toHaveLength(65 + 2);
    for (let count = 3; count < 65; count += 1) await get(`key ${count}`);
    expect(asked).toHaveLength(65 + 2);
  });

  test('look-ups at once are bounded, too', async () => {
    const { cache } = setUp({ maximumPending: 1 });
    const slow = Promise.withResolvers<{ answer: string; position: Revision }>();
    const first = cache.get('a', () => slow.promise);
    await expect(cache.get('b', () => slow.promise)).rejects.toThrow(TooManyLookupsError);
    slow.resolve({ answer: 'x', position: at(1) });
    await first;
    expect(await cache.get('b', () => slow.promise)).toBe('x');
  });
});
