import { expect, test } from 'vitest';
import { ForeignLoad } from './foreign-load.ts';

const load = (running: number, waiting = 0) => ({ running, waiting, cache_use: null });

test('what runs and waits there beside our own is of others, once it was seen twice', () => {
  const foreign = new ForeignLoad();
  foreign.look(load(10, 2), 4);
  expect(foreign.generations).toBe(0);
  foreign.look(load(9, 2), 4);
  expect(foreign.generations).toBe(7);
});

test('what was ours a moment ago is not taken for that of others', () => {
  const foreign = new ForeignLoad();
  foreign.look(load(20), 20);
  // All of ours have just ended, and the runtime still counts them.
  foreign.look(load(20), 20);
  expect(foreign.generations).toBe(0);
});

test('others that leave give their slots back at once', () => {
  const foreign = new ForeignLoad();
  foreign.look(load(8), 0);
  foreign.look(load(8), 0);
  foreign.look(load(1), 0);
  expect(foreign.generations).toBe(1);
  foreign.look(undefined, 0);
  expect(foreign.generations).toBe(0);
});
