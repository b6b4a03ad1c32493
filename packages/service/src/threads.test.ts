import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { RoundRobinQueue } from './threads.ts';

/** An item is its organization's letter and its weight. */
const weigh = (item: string) => Number(item.slice(1));

function filled(
  items: readonly string[],
  { maxWeight = 1_000, maxWeightPerOrganization = 1_000 } = {},
) {
  const queue = new RoundRobinQueue<string>({ weigh, maxWeight, maxWeightPerOrganization });
  for (const item of items) queue.add(item.charAt(0), item);
  return queue;
}

function emptied<Item>(queue: RoundRobinQueue<Item>): Item[] {
  const taken: Item[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  return taken;
}

test('organizations take turns, each in its own order', () => {
  const queue = filled(['a1', 'a2', 'a3', 'b1', 'c1', 'b2']);
  expect(emptied(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('an organization that comes later does not wait for all items of another one', () => {
  const queue = filled(['a1', 'a2', 'a3']);
  expect(queue.take()).toBe('a1');
  queue.add('b', 'b1');
  expect(emptied(queue)).toEqual(['a2', 'b1', 'a3']);
});

test('an item that was deleted is not taken', () => {
  const queue = filled(['a1', 'a2', 'b1']);
  queue.delete('a', 'a1');
  queue.delete('b', 'b1');
  expect(emptied(queue)).toEqual(['a2']);
});

test('the bounds of each organization and of all together hold, and a refused item is not taken', () => {
  const queue = new RoundRobinQueue<string>({
    weigh: () => 1,
    maxWeight: 4,
    maxWeightPerOrganization: 2,
  });
  const added = ['a1', 'a2', 'a3', 'b1', 'c1', 'd1'].map((item) => queue.add(item.charAt(0), item));
  expect(added).toEqual([true, true, false, true, true, false]);
  expect(queue.isEmpty).toBe(false);
  expect(emptied(queue)).toEqual(['a1', 'b1', 'c1', 'a2']);
  expect(queue.isEmpty).toBe(true);
  expect(queue.add('a', 'a4')).toBe(true);
});

test('an item that is taken or deleted makes room for its weight, once', () => {
  const queue = filled(['a4', 'a2', 'b4'], { maxWeight: 10, maxWeightPerOrganization: 6 });
  expect(queue.add('c', 'c1')).toBe(false);
  queue.take();
  expect(queue.add('a', 'a5')).toBe(false);
  expect(queue.add('a', 'a4')).toBe(true);
  queue.delete('a', 'a2');
  queue.delete('a', 'a2');
  expect(queue.add('a', 'a3')).toBe(false);
  queue.delete('b', 'b4');
  queue.delete('b', 'b4');
  expect(queue.add('c', 'c7')).toBe(false);
  expect(queue.add('c', 'c6')).toBe(true);
});

test('the first item of an organization may exceed its bound, and the first item of all the total bound', () => {
  const queue = filled(['a6', 'b5'], { maxWeight: 11, maxWeightPerOrganization: 3 });
  expect(emptied(queue)).toEqual(['a6', 'b5']);
  expect(queue.add('a', 'a100')).toBe(true);
  expect(queue.add('b', 'b1')).toBe(false);
});

test('an item has room if it keeps within the bounds or waits alone, after any adds and removals', () => {
  interface Item {
    readonly organization: string;
    readonly weight: number;
  }
  const together = (items: readonly Item[]) => items.reduce((sum, { weight }) => sum + weight, 0);
  const step = fc.record({
    kind: fc.constantFrom('add', 'take', 'delete'),
    organization: fc.constantFrom('a', 'b', 'c'),
    weight: fc.integer({ min: 1, max: 5 }),
  });
  const steps = fc.array(step, { maxLength: 60, size: 'max' });
  const bound = fc.integer({ min: 1, max: 12 });
  fc.assert(
    fc.property(bound, bound, steps, (maxWeight, maxWeightPerOrganization, made) => {
      const queue = new RoundRobinQueue<Item>({
        weigh: ({ weight }) => weight,
        maxWeight,
        maxWeightPerOrganization,
      });
      const waiting = new Set<Item>();
      for (const { kind, organization, weight } of made) {
        const all = [...waiting];
        const own = all.filter((item) => item.organization === organization);
        const item = { organization, weight };
        if (kind === 'add') {
          const fitsOwn = own.length === 0 || together([...own, item]) <= maxWeightPerOrganization;
          const fitsAll = all.length === 0 || together([...all, item]) <= maxWeight;
          expect(queue.add(organization, item)).toBe(fitsOwn && fitsAll);
          if (fitsOwn && fitsAll) waiting.add(item);
        } else if (kind === 'take') {
          const next = queue.take();
          if (next !== undefined) waiting.delete(next);
        } else {
          const last = own.at(-1) ?? item;
          queue.delete(organization, last);
          waiting.delete(last);
        }
        expect(queue.isEmpty).toBe(waiting.size === 0);
      }
      expect(new Set(emptied(queue))).toEqual(waiting);
    }),
  );
});
