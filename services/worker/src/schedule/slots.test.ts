import { expect, it } from 'vitest';
import { Slots, type SlotsOptions } from './slots.ts';

const slotsOf = (options: Partial<SlotsOptions> = {}) =>
  new Slots({ shared: false, canWait: true, ...options });
const load = (running: number, waiting = 0) => ({ running, waiting, cache_use: null });

/** Slots, this many of them taken. */
function taken(count: number): Slots {
  const slots = slotsOf();
  for (let slot = 0; slot < count; slot += 1) slots.take();
  return slots;
}

it.each([
  ['the setting, even if the runtime has fewer', { setting: 100 }, 4, 100],
  ['the slots of the runtime without a setting', {}, 4, 4],
  ['the default if the runtime has more', {}, 100, 64],
  ['the default if the runtime does not report its slots', {}, undefined, 64],
])('the limit is %s', (_, options, runtimeSlots, limit) => {
  const slots = slotsOf(options);
  slots.runtimeSlots = runtimeSlots;
  expect(slots.limit).toBe(limit);
});

it('the limit is lower by the generations of other clients on a shared runtime, and at least one', () => {
  const limitAmong = (others: number, shared: boolean) => {
    const slots = slotsOf({ setting: 6, shared });
    for (let time = 0; time < 2; time += 1) slots.observe(load(others));
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

it('counts generations of other clients, once two probes have seen them', () => {
  const slots = taken(4);
  slots.observe(load(10, 2));
  expect(slots.otherClientsGenerations).toBe(0);
  slots.observe(load(9, 2));
  expect(slots.otherClientsGenerations).toBe(7);
});

it('does not count our own generations that have just ended as those of other clients', () => {
  const slots = taken(20);
  slots.observe(load(20));
  for (let slot = 0; slot < 20; slot += 1) slots.release();
  // All attempts of this worker have just ended, and the runtime still counts them.
  slots.observe(load(20));
  expect(slots.otherClientsGenerations).toBe(0);
  // Now the peak since the last probe is 0.
  for (let time = 0; time < 2; time += 1) slots.observe(load(20));
  expect(slots.otherClientsGenerations).toBe(20);
});

it('counts fewer generations of other clients as soon as one probe sees fewer', () => {
  const slots = taken(0);
  for (const running of [8, 8, 1]) slots.observe(load(running));
  expect(slots.otherClientsGenerations).toBe(1);
  slots.observe(undefined);
  expect(slots.otherClientsGenerations).toBe(0);
});
