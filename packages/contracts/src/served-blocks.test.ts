import { expect, test } from 'vitest';
import { decodeBlockHashes, encodeBlockHashes } from './prefix-blocks.ts';
import { ServedBlocks } from './served-blocks.ts';

const numbers = (count: number, first = 1) =>
  Array.from({ length: count }, (_, index) => first + index);

function announced(served: ServedBlocks): number[] {
  return [...decodeBlockHashes(served.next() ?? '')];
}

test('a worker without prompts has no blocks to announce', () => {
  const served = new ServedBlocks();
  expect(served.next()).toBeUndefined();
  served.note(undefined);
  expect(served.next()).toBeUndefined();
});

test('new blocks are announced first, once as new, and are then repeated in turn', () => {
  const served = new ServedBlocks();
  served.note(encodeBlockHashes(numbers(100)));
  served.note(encodeBlockHashes(numbers(120)));
  expect(announced(served)).toEqual([...numbers(120), ...numbers(64)]);
  expect(announced(served)).toEqual([...numbers(56, 65), ...numbers(8)]);
  expect(announced(served)).toEqual(numbers(64, 9));
  served.note(encodeBlockHashes([7, 500]));
  expect(announced(served)[0]).toBe(500);
});

test('a heartbeat is bounded, and more new blocks follow in the next ones', () => {
  const served = new ServedBlocks();
  served.note(encodeBlockHashes(numbers(300)));
  expect(announced(served)).toHaveLength(256 + 64);
  expect(announced(served).slice(0, 44)).toEqual(numbers(44, 257));
});

test('the number of remembered blocks is bounded', () => {
  const served = new ServedBlocks();
  for (let batch = 0; batch < 40; batch += 1) {
    served.note(encodeBlockHashes(numbers(1_000, 1 + batch * 1_000)));
  }
  const heard = new Set<number>();
  for (let beat = 0; beat < 400; beat += 1) for (const hash of announced(served)) heard.add(hash);
  expect(heard.size).toBeLessThanOrEqual(8_192);
  expect(heard.has(40_000)).toBe(true);
  expect(heard.has(1)).toBe(false);
});

test('a block that the cache has lost is announced again only after it was served again', () => {
  const served = new ServedBlocks();
  served.note(encodeBlockHashes([1, 2]));
  served.forget([1]);
  expect(announced(served)).toEqual([2, 2]);
  served.note(encodeBlockHashes([1]));
  expect(announced(served)[0]).toBe(1);
});

test('nothing is announced of a runtime that has restarted', () => {
  const served = new ServedBlocks();
  served.note(encodeBlockHashes([1, 2]));
  served.clear();
  expect(served.next()).toBeUndefined();
  served.note(encodeBlockHashes([1]));
  expect(announced(served)[0]).toBe(1);
});
