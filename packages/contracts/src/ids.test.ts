import { describe, expect, it } from 'vitest';
import { BASE62, mintCallId, mintCompletionId, mintProcessId, randomBase62 } from './ids.ts';

describe('random text', () => {
  it('has every character as often as any other', () => {
    const counts = new Map<string, number>();
    for (const character of randomBase62(62 * 5_000)) {
      counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    expect([...counts.keys()].toSorted().join('')).toBe(BASE62);
    // Seven standard deviations; a byte taken modulo 62 as it is would be off by twice as much.
    for (const count of counts.values()) expect(Math.abs(count - 5_000)).toBeLessThan(500);
  });
});

describe('an id', () => {
  it('tells what it is of', () => {
    expect(mintCompletionId()).toMatch(/^chatcmpl-[0-9A-Za-z]{29}$/);
    expect(mintProcessId()).toMatch(/^[0-9A-Za-z]{12}$/);
    expect(mintCallId(true)).toMatch(/^call_r[0-9A-Za-z]{24}$/);
    expect(mintCallId(false)).toMatch(/^call_n[0-9A-Za-z]{24}$/);
  });
});
