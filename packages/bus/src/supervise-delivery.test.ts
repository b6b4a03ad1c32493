import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { StoreEnd } from './key-value.ts';
import { superviseDelivery } from './supervise-delivery.ts';

const giveUp = vi.fn<(reason: Error) => void>();

beforeEach(() => {
  giveUp.mockClear();
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

/** Runs one check for each end in the list. Undefined stands for a leader that does not answer. */
async function checkWith(ends: readonly (number | StoreEnd | undefined)[], lastSeen = () => 7) {
  let asked = 0;
  using _supervision = superviseDelivery({
    end: async () => {
      const found = ends[asked];
      asked += 1;
      if (found === undefined) throw new Error('no leader');
      return Promise.resolve(typeof found === 'number' ? { epoch: 1, sequence: found } : found);
    },
    epoch: 1,
    lastSeen,
    giveUp,
  });
  await vi.advanceTimersByTimeAsync(ends.length * 5_000);
  return giveUp.mock.calls.length > 0;
}

it('trusts a delivery that has received all changes', async () => {
  expect(await checkWith([7, 7, 7])).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});

it('gives up a delivery whose leader does not answer twice in a row, but not after once', async () => {
  expect(await checkWith([undefined, 7, undefined])).toBe(false);
  expect(await checkWith([7, undefined, undefined])).toBe(true);
});

it('gives up a delivery that has not received by the next check what the leader had', async () => {
  expect(await checkWith([8, 8])).toBe(true);
  expect(giveUp).toHaveBeenCalledWith(new Error('changes that the leader has do not arrive'));
});

it('gives a delivery time until the next check, and more while changes arrive', async () => {
  let seen = 7;
  expect(await checkWith([7, 8, 9], () => seen++)).toBe(false);
  expect(await checkWith([100, 100, 100], () => seen++)).toBe(false);
});

it('gives up a delivery whose store has another epoch', async () => {
  expect(await checkWith([{ epoch: 2, sequence: 7 }])).toBe(true);
});
