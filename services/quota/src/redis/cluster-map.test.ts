import { describe, expect, it } from 'vitest';
import { slotOfKey } from './cluster-map.ts';

describe('the slot of a key', () => {
  // As CLUSTER KEYSLOT of Redis 7 says.
  it.each([
    ['123456789', 12_739],
    ['', 0],
    ['sluice:quota:{acme}', 11_304],
    ['{acme}', 11_304],
    ['acme', 11_304],
    ['{}{acme}', 15_786],
    ['{acme', 7505],
    ['sluice:quota:{übermut 🚰}', 6418],
    ['{a}b}', 15_495],
    ['{tag}:{acme}', 8338],
  ])('of %s equals the one that Redis computes', (key, slot) => {
    expect(slotOfKey(key)).toBe(slot);
  });
});
