import { expect, test } from 'vitest';
import { HeldBytes } from './held-bytes.ts';

test('one organization has its share, all together have theirs, and what is given back is free again', () => {
  const held = new HeldBytes({ mostBytes: 150, mostBytesOfOne: 100 });
  expect(held.take('a', 60)).toBe(true);
  expect(held.take('a', 41)).toBe(false);
  expect(held.take('a', 40)).toBe(true);
  expect(held.take('b', 51)).toBe(false);
  expect(held.take('b', 50)).toBe(true);
  expect(held.bytes).toBe(150);
  held.giveBack('a', 60);
  expect(held.take('b', 50)).toBe(true);
  expect(held.take('b', 1)).toBe(false);
  held.giveBack('a', 40);
  held.giveBack('b', 100);
  expect(held.bytes).toBe(0);
  expect(held.take('a', 100)).toBe(true);
});
