import { expect, test } from 'vitest';
import { RecentPrompts } from './recent-prompts.ts';

/** Blocks of 100 tokens: the first ones end at 256 and 512 characters, and a prompt of one block has about 384. */
const ONE = { prompt: 150, answer: 0 };
const TWO = { prompt: 250, answer: 0 };

function promptsOf(...prompts: readonly (readonly number[])[]): RecentPrompts {
  const recent = new RecentPrompts();
  for (const hashes of prompts) recent.use(Int32Array.from(hashes), hashes.length > 1 ? TWO : ONE);
  return recent;
}

test('the prompts used longest ago are evicted first, each from its end', () => {
  const recent = promptsOf([1, 2], [3], [4]);
  expect(recent.evict({ held: 400, removed: 150 })).toEqual([2]);
  expect(recent.evict({ held: 300, removed: 100 })).toEqual([1]);
  expect(recent.evict({ held: 150, removed: 150 })).toEqual([3]);
  expect(recent.has(4)).toBe(true);
});

test('a prompt that is used again is evicted later, and a shared beginning last', () => {
  const recent = promptsOf([1, 2], [3], [1, 5]);
  expect(recent.evict({ held: 0, removed: 150 })).toEqual([2]);
  expect(recent.evict({ held: 0, removed: 150 })).toEqual([3]);
  expect(recent.evict({ held: 0, removed: 150 })).toEqual([5]);
  expect(recent.evict({ held: 0, removed: 100 })).toEqual([1]);
});

test('nothing is cold while the cache holds as many tokens as the prompts have', () => {
  const recent = promptsOf([1], [2]);
  expect(recent.evict({ held: 300, removed: 10_000 })).toEqual([]);
  // The evicted tokens did not belong to these prompts, so they do not count later either.
  expect(recent.evict({ held: 0, removed: 0 })).toEqual([]);
});

test('no more blocks are cold than were evicted, even if the cache holds less than was estimated', () => {
  const recent = promptsOf([1], [2], [3]);
  expect(recent.evict({ held: 0, removed: 149 })).toEqual([]);
  expect(recent.evict({ held: 0, removed: 1 })).toEqual([1]);
});

test('short prompts and answers take room too', () => {
  const recent = new RecentPrompts();
  recent.use(new Int32Array(0), { prompt: 5_000, answer: 0 });
  recent.use(Int32Array.of(1), { prompt: 150, answer: 100 });
  recent.use(new Int32Array(0), { prompt: 40, answer: 10 });
  expect(recent.evict({ held: 0, removed: 299 })).toEqual([]);
  expect(recent.evict({ held: 0, removed: 1 })).toEqual([1]);
});

test('the number of remembered blocks is bounded', () => {
  const recent = new RecentPrompts();
  for (let hash = 1; hash <= 70_000; hash += 1) recent.use(Int32Array.of(hash), ONE);
  expect(recent.size).toBe(65_536);
  expect([recent.has(1), recent.has(70_000)]).toEqual([false, true]);
});
