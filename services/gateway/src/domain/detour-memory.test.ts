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
