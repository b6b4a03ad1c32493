import { expect, it } from 'vitest';
import { Slots, type SlotsOptions } from './slots.ts';

const slotsOf = (options: Partial<SlotsOptions> = {}) =>
  new Slots({ shared: false, canWait: true, ...options });
const load = (running: number, waiting = 0) => ({ running, waiting, cache_use: null });

/** With this many of our own running. */
function taken(count: number): Slots {
  const slots = slotsOf();
  for (let slot = 0; slot < count; slot += 1) slots.take();
  return slots;
}

it.each([
  ['the setting, whatever the runtime has', { setting: 100 }, 4, 100],
  ['those of the runtime without a setting', {}, 4, 4],
  ['the default where the runtime has more', {}, 100, 64],
  ['the default where the runtime does not tell', {}, undefined, 64],
])('has %s', (_, options, runtimeSlots, limit) => {
  const slots = slotsOf(options);
  slots.runtimeSlots = runtimeSlots;
  expect(slots.limit).toBe(limit);
});

it('has fewer by the generations of others on a shared runtime, and always one', () => {
  const limitAmong = (others: number, shared: boolean) => {
    const slots = slotsOf({ setting: 6, shared });
    for (let time = 0; time < 2; time += 1) slots.look(load(others));
    return slots.limit;
  };
  expect([limitAmong(2, true), limitAmong(9, true), limitAmong(2, false)]).toEqual([4, 1, 6]);
});

it('starts nothing during a hold, unless attempts cannot wait', () => {
  const startable = [true, false].map((canWait) => {
    const slots = slotsOf({ canWait });
    slots.hold = true;
    return slots.mayStart;
  });
  expect(startable).toEqual([false, true]);
});

it('counts what runs and waits beside our own as foreign, once it was seen twice', () => {
  const slots = taken(4);
  slots.look(load(10, 2));
  expect(slots.foreignGenerations).toBe(0);
  slots.look(load(9, 2));
  expect(slots.foreignGenerations).toBe(7);
});

it('does not take what was ours a moment ago for foreign', () => {
  const slots = taken(20);
  slots.look(load(20));
  for (let slot = 0; slot < 20; slot += 1) slots.release();
  // All of ours have just ended, and the runtime still counts them.
  slots.look(load(20));
  expect(slots.foreignGenerations).toBe(0);
  // Now the peak since the last look is 0.
  for (let time = 0; time < 2; time += 1) slots.look(load(20));
  expect(slots.foreignGenerations).toBe(20);
});

it('gives slots back at once when others leave', () => {
  const slots = taken(0);
  for (const running of [8, 8, 1]) slots.look(load(running));
  expect(slots.foreignGenerations).toBe(1);
  slots.look(undefined);
  expect(slots.foreignGenerations).toBe(0);
});
