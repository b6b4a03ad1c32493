import { expect, test } from 'vitest';
import { FaultQueue, type FaultPlan } from './faults.ts';
import { Random } from './random.ts';

const plans: FaultPlan[] = ['one', 'two', 'three', 'four'].map((name) => ({
  name,
  inflict: () => Promise.resolve(),
}));

test('every fault comes once before one comes again, in an order that the seed decides', () => {
  const draw = (seed: number) => {
    const queue = new FaultQueue(plans, new Random(seed));
    return Array.from({ length: 8 }, () => queue.next()?.name);
  };
  const drawn = draw(1);
  const all = new Set(plans.map(({ name }) => name));
  expect(new Set(drawn.slice(0, 4))).toEqual(all);
  expect(new Set(drawn.slice(4))).toEqual(all);
  expect(draw(1)).toEqual(drawn);
  expect(draw(2)).not.toEqual(drawn);
});

test('without any fault there is none to come', () => {
  expect(new FaultQueue([], new Random(1)).next()).toBeUndefined();
});
