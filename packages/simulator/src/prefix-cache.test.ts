import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { blockSize, PrefixCache } from './prefix-cache.ts';

const tokens = (count: number, first = 0): number[] =>
  Array.from({ length: count }, (_, index) => first + index);

test('the whole blocks of an earlier prompt are found, and its last token is always computed', () => {
  const cache = new PrefixCache(100);
  expect(cache.admit(tokens(40), 'a').cachedTokens).toBe(0);
  expect(cache.admit(tokens(40), 'a').cachedTokens).toBe(32);
  expect(cache.admit(tokens(32), 'a').cachedTokens).toBe(16);
  expect(cache.admit(tokens(33), 'a').cachedTokens).toBe(32);
  expect(cache.admit(tokens(100), 'a').cachedTokens).toBe(32);
  expect(cache.queriedTokens).toBe(245);
  expect(cache.hitTokens).toBe(112);
});

test('the same words after a different beginning are not found', () => {
  const cache = new PrefixCache(100);
  cache.admit([...tokens(16), ...tokens(32, 500)], 'a');
  expect(cache.admit([...tokens(16, 900), ...tokens(32, 500)], 'a').cachedTokens).toBe(0);
});

test('a salt separates tenants that must not learn from each other', () => {
  const cache = new PrefixCache(100);
  cache.admit(tokens(64), 'model\nalice');
  expect(cache.admit(tokens(64), 'model\nbob').cachedTokens).toBe(0);
  expect(cache.admit(tokens(64), 'model\nalice').cachedTokens).toBe(48);
});

test('generated tokens are found by the next turn, in pieces of any size', () => {
  const cache = new PrefixCache(100);
  const turn = cache.admit(tokens(20), 'a');
  for (const token of tokens(25, 20)) turn.extend([token]);
  expect(cache.admit(tokens(60), 'a').cachedTokens).toBe(32);
});

test('the least recently used blocks are evicted first', () => {
  const cache = new PrefixCache(4);
  cache.admit(tokens(32), 'old');
  cache.admit(tokens(32), 'new');
  expect(cache.admit(tokens(33), 'old').cachedTokens).toBe(32);
  cache.admit(tokens(16), 'newest');
  expect(cache.blocks).toBe(4);
  expect(cache.admit(tokens(33), 'old').cachedTokens).toBe(32);
  expect(cache.admit(tokens(33), 'new').cachedTokens).toBe(0);
});

test('the longest earlier beginning in whole blocks is found', () => {
  const prompt = fc.array(fc.constantFrom(1, 2), { maxLength: 70, size: 'max' });
  fc.assert(
    fc.property(fc.array(prompt, { maxLength: 6 }), prompt, (earlier, asked) => {
      const cache = new PrefixCache(10_000);
      for (const one of earlier) cache.admit(one, '');
      const blocks = Math.floor(Math.max(0, asked.length - 1) / blockSize);
      const expected = Math.max(
        0,
        ...earlier.map((one) => {
          let same = 0;
          while (same < one.length && one[same] === asked[same]) same += 1;
          return Math.min(blocks, Math.floor(same / blockSize)) * blockSize;
        }),
      );
      expect(cache.admit(asked, '').cachedTokens).toBe(expected);
    }),
  );
});
