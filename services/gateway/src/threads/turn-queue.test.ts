import { expect, test } from 'vitest';
import { TurnQueue } from './turn-queue.ts';

function filled(items: readonly string[]): TurnQueue<string> {
  const queue = new TurnQueue<string>((item) => Number(item.slice(1)));
  for (const item of items) queue.add(item.charAt(0), item);
  return queue;
}

function emptied(queue: TurnQueue<string>): string[] {
  const taken: string[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  return taken;
}

test('organizations take turns, each in its own order', () => {
  const queue = filled(['a1', 'a2', 'a3', 'b1', 'c1', 'b2']);
  expect(emptied(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('one that comes late does not wait for all of another', () => {
  const queue = filled(['a1', 'a2', 'a3']);
  expect(queue.take()).toBe('a1');
  queue.add('b', 'b1');
  expect(emptied(queue)).toEqual(['a2', 'b1', 'a3']);
});

test('who has left is not taken', () => {
  const queue = filled(['a1', 'a2', 'b1']);
  queue.delete('a', 'a1');
  queue.delete('b', 'b1');
  expect(emptied(queue)).toEqual(['a2']);
});

test('what waits weighs what its items do, of each organization and of all', () => {
  const queue = filled(['a1', 'a20', 'b300']);
  const weights = () => [queue.weightOf('a'), queue.weightOf('b'), queue.weight];
  expect(weights()).toEqual([21, 300, 321]);
  queue.take();
  expect(weights()).toEqual([20, 300, 320]);
  queue.delete('b', 'b300');
  queue.delete('b', 'b300');
  expect(weights()).toEqual([20, 0, 20]);
  emptied(queue);
  expect(weights()).toEqual([0, 0, 0]);
});
