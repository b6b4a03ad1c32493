import { expect, it } from 'vitest';
import { TurnBatcher } from './turn-batcher.ts';

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

it('passes on what a turn produced, once and in order, when the turn ends', async () => {
  const batches: string[][] = [];
  const batcher = new TurnBatcher<string>((items) => batches.push(items));
  batcher.add('first');
  await Promise.resolve();
  batcher.add('second');
  expect(batcher.size).toBe(2);
  expect(batches).toEqual([]);
  await nextTurn();
  expect(batches).toEqual([['first', 'second']]);
  expect(batcher.size).toBe(0);
  await nextTurn();
  expect(batches).toHaveLength(1);
});

it('keeps what is added during a flush for the turn after it', async () => {
  const batches: string[][] = [];
  const batcher = new TurnBatcher<string>((items) => {
    batches.push(items);
    if (items[0] === 'first') batcher.add('answer');
  });
  batcher.add('first');
  await nextTurn();
  expect(batches).toEqual([['first']]);
  await nextTurn();
  expect(batches).toEqual([['first'], ['answer']]);
});

it('passes on at once when it is flushed, and then nothing at the end of the turn', async () => {
  const batches: string[][] = [];
  const batcher = new TurnBatcher<string>((items) => batches.push(items));
  batcher.add('first');
  batcher.flush();
  expect(batches).toEqual([['first']]);
  batcher.flush();
  await nextTurn();
  expect(batches).toHaveLength(1);
});
