import { describe, expect, it } from 'vitest';
import { Pauses } from './pauses.ts';

describe('the pauses that several threads saw', () => {
  const pauses = new Pauses([
    { from: 100, to: 120 },
    { from: 10, to: 20 },
    { from: 15, to: 30 },
    { from: 16, to: 18 },
  ]);

  it('are counted once where they overlap', () => {
    expect(pauses.count).toBe(2);
    expect(pauses.pausedMs(0, 200)).toBe(40);
  });

  it.each([
    [0, 10, 0],
    [0, 12, 2],
    [12, 14, 2],
    [25, 110, 15],
    [30, 100, 0],
    [119, 300, 1],
    [120, 300, 0],
  ])('between %d and %d last %d ms', (from, to, expected) => {
    expect(pauses.pausedMs(from, to)).toBe(expected);
  });

  it('may have an aftermath', () => {
    const longer = pauses.withAftermath(0.5);
    expect(longer.pausedMs(0, 200)).toBe(60);
    expect(longer.pausedMs(125, 200)).toBe(5);
  });

  it('have a longer aftermath if they begin during the aftermath of an earlier pause', () => {
    const pair = new Pauses([
      { from: 0, to: 60 },
      { from: 76, to: 121 },
    ]).withAftermath(1);
    // The first pause leaves work for 60 ms. The second pause begins after 16 ms of it, and adds work for 45 ms.
    expect(pair.pausedMs(0, 1_000)).toBe(121 + (60 - 16) + 45);
  });

  it('may be none', () => {
    expect(new Pauses([]).pausedMs(0, 1_000)).toBe(0);
  });
});
