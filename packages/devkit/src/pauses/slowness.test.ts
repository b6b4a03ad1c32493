import { describe, expect, it } from 'vitest';
import { Slowness } from './slowness.ts';

/** The results for calculations that begin every 10 ms and take these times. */
function saidOf(tookMs: readonly number[], wasInterrupted = () => false) {
  const slowness = new Slowness(wasInterrupted);
  return tookMs.map((took, index) => slowness.notice({ from: index * 10, to: index * 10 + took }));
}

describe('slowness', () => {
  it('is not detected while calculations take about as long as the shortest one', () => {
    expect(saidOf([1, 0.5, 0.9, 0.7, 0.6])).toEqual(Array.from({ length: 5 }));
  });

  it('is not detected from a single long calculation, which may have been interrupted', () => {
    expect(saidOf([0.5, 5, 0.5, 5, 0.5])).toEqual(Array.from({ length: 5 }));
  });

  it('is detected from several slow calculations, from the end of the last fast one, each moment once', () => {
    expect(saidOf([0.5, 5, 4, 3, 0.5])).toEqual([
      undefined,
      undefined,
      { from: 0.5, to: 24 },
      { from: 24, to: 33 },
      undefined,
    ]);
  });

  it('is not detected from calculations that another program interrupted', () => {
    expect(saidOf([0.5, 5, 4, 3, 0.5], () => true)).toEqual(Array.from({ length: 5 }));
  });

  it('is detected across an interrupted calculation, which is ignored', () => {
    let asked = 0;
    const secondTime = () => {
      asked += 1;
      return asked === 2;
    };
    expect(saidOf([0.5, 5, 9, 4, 0.5], secondTime)).toEqual([
      undefined,
      undefined,
      undefined,
      { from: 0.5, to: 34 },
      undefined,
    ]);
  });

  it('is detected after the first fast calculation, even if the machine was slow at first', () => {
    expect(saidOf([5, 5, 0.5, 5, 5])).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      { from: 20.5, to: 45 },
    ]);
  });
});
