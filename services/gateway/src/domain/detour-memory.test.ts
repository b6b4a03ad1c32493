import { expect, test } from 'vitest';
import { DetourMemory } from './detour-memory.ts';

test('the detours of conversations that have rested the longest are forgotten first', () => {
  const detours = new DetourMemory();
  const most = 20_000;
  for (let affinity = 0; affinity < most; affinity += 1) detours.remember(affinity, 'a');
  detours.remember(0, 'b');
  detours.remember(most, 'a');
  expect([detours.get(0), detours.get(1), detours.get(most)]).toEqual(['b', undefined, 'a']);
});

test('many are forgotten at once, and then nobody until as many others have come', () => {
  const detours = new DetourMemory();
  let next = 0;
  const rememberMore = (count: number) => {
    for (const end = next + count; next < end; next += 1) detours.remember(next, 'a');
    let first = 0;
    while (detours.get(first) === undefined) first += 1;
    return first;
  };
  expect(rememberMore(20_000)).toBe(0);
  expect(rememberMore(1)).toBe(626);
  expect(rememberMore(625)).toBe(626);
  expect(rememberMore(1)).toBe(2 * 626);
});
