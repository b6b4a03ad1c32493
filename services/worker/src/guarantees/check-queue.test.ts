import { expect, it } from 'vitest';
import { CheckQueue } from './check-queue.ts';

it('lets organizations take turns, each within its bound and all within theirs', () => {
  const queue = new CheckQueue<string>({ most: 4, mostOfOne: 2 });
  const added = ['a1', 'a2', 'a3', 'b1', 'c1', 'd1'].map((item) => queue.add(item[0] ?? '', item));
  expect(added).toEqual([true, true, false, true, true, false]);
  const taken = Array.from({ length: 5 }, () => queue.take());
  expect(taken).toEqual(['a1', 'b1', 'c1', 'a2', undefined]);
  expect(queue.size).toBe(0);
  expect(queue.add('a', 'a4')).toBe(true);
});
