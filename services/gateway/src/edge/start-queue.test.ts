import { expect, test } from 'vitest';
import { StartQueue } from './start-queue.ts';

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('requests above the limit of a turn begin in later turns, in the order of their arrival', async () => {
  const queue = new StartQueue(2);
  const begun: number[] = [];
  for (let number = 1; number <= 5; number += 1) queue.start(() => begun.push(number));
  expect(begun).toEqual([1, 2]);
  await nextTurn();
  queue.start(() => begun.push(6));
  expect(begun).toEqual([1, 2, 3, 4]);
  await nextTurn();
  expect(begun).toEqual([1, 2, 3, 4, 5, 6]);
});

test('each turn has its own limit', async () => {
  const queue = new StartQueue(1);
  const begun: string[] = [];
  queue.start(() => begun.push('first'));
  await nextTurn();
  queue.start(() => begun.push('second'));
  expect(begun).toEqual(['first', 'second']);
});
