import { expect, test } from 'vitest';
import { ArrivingBodies } from './arriving-bodies.ts';

test('one organization has its share, all together have theirs, and what is given back is free again', () => {
  const arriving = new ArrivingBodies({ mostBytes: 150, mostBytesOfOne: 100 });
  expect(arriving.take('a', 60)).toBe(true);
  expect(arriving.take('a', 41)).toBe(false);
  expect(arriving.take('a', 40)).toBe(true);
  expect(arriving.take('b', 51)).toBe(false);
  expect(arriving.take('b', 50)).toBe(true);
  expect(arriving.bytes).toBe(150);
  arriving.giveBack('a', 60);
  expect(arriving.take('b', 50)).toBe(true);
  expect(arriving.take('b', 1)).toBe(false);
  arriving.giveBack('a', 40);
  arriving.giveBack('b', 100);
  expect(arriving.bytes).toBe(0);
  expect(arriving.take('a', 100)).toBe(true);
});
