import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { HOLDERS, PrefixIndex } from './prefix-index.ts';

const POOL = 12_345;

function holdersOf(index: PrefixIndex, hash: number, pool = POOL): number[] {
  const entry = index.find(hash, pool);
  if (entry < 0) return [];
  const holders = Array.from({ length: HOLDERS }, (_, place) => index.holder(entry, place));
  // The largest number stands for a cache that has lost the block.
  return holders.filter((cache) => cache !== 0 && cache !== 2 ** 32 - 1);
}

function record(index: PrefixIndex, hashes: readonly number[], cache: number, pool = POOL): void {
  index.record(Int32Array.from(hashes), { pool, cache });
}

test('an entry names the caches that served the block last, the latest first', () => {
  const index = new PrefixIndex(64);
  expect(holdersOf(index, 1)).toEqual([]);
  for (const cache of [1, 2, 3, 2, 4, 5, 6, 3]) record(index, [1, 2], cache);
  expect(holdersOf(index, 1)).toEqual([3, 6, 5, 4]);
  expect(holdersOf(index, 2)).toEqual([3, 6, 5, 4]);
  expect(holdersOf(index, 1, 99)).toEqual([]);
});

test('the least recently used of the entries that share a place is replaced', () => {
  const index = new PrefixIndex(8);
  for (let hash = 0; hash < 8; hash += 1) record(index, [hash], 1);
  record(index, [0], 2);
  record(index, [8], 1);
  expect(holdersOf(index, 0)).toEqual([2, 1]);
  expect(holdersOf(index, 1)).toEqual([]);
  expect(holdersOf(index, 8)).toEqual([1]);
});

test('an index that is large enough agrees with a map', () => {
  const step = fc.record({
    hashes: fc.array(fc.integer({ min: -20, max: 20 }), { maxLength: 6 }),
    cache: fc.integer({ min: 1, max: 6 }),
    isLost: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      const index = new PrefixIndex(4_096);
      const model = new Map<number, number[]>();
      for (const { hashes, cache, isLost } of steps) {
        if (isLost) index.forget(Int32Array.from(hashes), { pool: POOL, cache });
        else record(index, hashes, cache);
        for (const hash of hashes) {
          const others = (model.get(hash) ?? []).filter((other) => other !== cache);
          model.set(hash, isLost ? others : [cache, ...others].slice(0, HOLDERS));
        }
      }
      for (let hash = -20; hash <= 20; hash += 1) {
        expect(holdersOf(index, hash)).toEqual(model.get(hash) ?? []);
      }
    }),
  );
});
