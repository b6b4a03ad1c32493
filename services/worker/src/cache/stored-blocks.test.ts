import { expect, test } from 'vitest';
import { StoredBlocks } from './stored-blocks.ts';

const gpu = { medium: 'GPU', group: 0 };
const cpu = { medium: 'CPU', group: 0 };
const stored = (place: typeof gpu, ...blocks: number[]) =>
  ({ kind: 'stored', blocks, tokensOfBlock: 16, keepsAll: true, place }) as const;
const removed = (place: typeof gpu, ...blocks: number[]) =>
  ({ kind: 'removed', blocks, place }) as const;

test('held and removed tokens are counted, each block once', () => {
  const blocks = new StoredBlocks();
  blocks.apply(stored(gpu, 1, 2, 2));
  blocks.apply(stored(gpu, 1));
  expect(blocks.heldTokens).toBe(32);
  blocks.apply(removed(gpu, 1, 1, 99));
  expect([blocks.heldTokens, blocks.takeRemovedTokens()]).toEqual([16, 16]);
  expect(blocks.takeRemovedTokens()).toBe(0);
});

test('a block that was moved to another medium is held until it is removed there too', () => {
  const blocks = new StoredBlocks();
  blocks.apply(stored(gpu, 1));
  blocks.apply(stored(cpu, 1));
  blocks.apply(removed(gpu, 1));
  expect([blocks.heldTokens, blocks.takeRemovedTokens()]).toEqual([16, 0]);
  blocks.apply(removed(cpu, 1));
  expect([blocks.heldTokens, blocks.takeRemovedTokens()]).toEqual([0, 16]);
});

test('only the first group of layers that keeps all tokens is counted', () => {
  const blocks = new StoredBlocks();
  blocks.apply({ ...stored(gpu, 1), keepsAll: false });
  expect(blocks.heldTokens).toBe(0);
  const second = { medium: 'GPU', group: 1 };
  blocks.apply(stored(second, 1));
  blocks.apply(stored({ medium: 'GPU', group: 2 }, 2));
  blocks.apply(removed(gpu, 1));
  expect(blocks.heldTokens).toBe(16);
  blocks.apply(removed(second, 1));
  expect(blocks.takeRemovedTokens()).toBe(16);
});
