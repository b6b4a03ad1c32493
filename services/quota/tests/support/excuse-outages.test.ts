import { Pauses } from '@sluice/devkit/pauses';
import { describe, expect, it } from 'vitest';
import { excuseOutages } from './excuse-outages.ts';

/** A request without a decision that was sent and answered at the given times. */
function undecided(startedAt: number, endedAt: number) {
  return { startedAt, answeredAfterMs: endedAt - startedAt };
}

const NONE = new Pauses([]);
/** A pause of 60 ms, and much later many short ones. */
const PAUSES = new Pauses([
  { from: 1_000, to: 1_060 },
  ...Array.from({ length: 50 }, (_, index) => ({
    from: 5_000 + index * 20,
    to: 5_008 + index * 20,
  })),
]);

describe('a request without a decision', () => {
  it('is not excused without a pause', () => {
    const waited = undecided(1_000, 1_100);
    const turnedAway = undecided(1_100, 1_101);
    expect(excuseOutages([waited, turnedAway], NONE)).toStrictEqual([waited, turnedAway]);
  });

  it.each([
    ['a whole pause that is long enough', undecided(990, 1_090)],
    ['half of the deadline of a longer pause', undecided(1_010, 1_110)],
  ])('that waited through %s is excused', (_, request) => {
    expect(excuseOutages([request], PAUSES)).toStrictEqual([]);
  });

  it.each([
    ['less than half of the deadline of a pause', undecided(1_011, 1_111)],
    ['short pauses that add up to less', undecided(5_000, 5_100)],
    ['the time before a pause', undecided(900, 1_000)],
    ['the time after a pause', undecided(1_060, 1_160)],
  ])('that waited through %s is not excused', (_, request) => {
    expect(excuseOutages([request], PAUSES)).toStrictEqual([request]);
  });

  it('that was rejected at once is excused while the breaker is open because of a pause', () => {
    const waited = undecided(990, 1_100);
    const first = undecided(1_100, 1_101);
    const last = undecided(1_598, 1_599);
    const later = undecided(1_599, 1_600);
    expect(excuseOutages([waited, first, last, later], PAUSES)).toStrictEqual([later]);
  });

  it('that was rejected at once is not excused if no request waited through the pause', () => {
    const turnedAway = undecided(1_061, 1_062);
    expect(excuseOutages([turnedAway], PAUSES)).toStrictEqual([turnedAway]);
  });

  it('that waited is not excused by an open breaker', () => {
    const waited = undecided(990, 1_100);
    const silent = undecided(1_100, 1_200);
    const [atOnce, barelyNot] = [undecided(1_200, 1_249), undecided(1_200, 1_250)];
    const requests = [waited, silent, atOnce, barelyNot];
    expect(excuseOutages(requests, PAUSES)).toStrictEqual([silent, barelyNot]);
  });

  it('that was rejected before another one had waited through the pause is not excused', () => {
    const waited = undecided(990, 1_100);
    const before = undecided(1_098, 1_099);
    expect(excuseOutages([waited, before], PAUSES)).toStrictEqual([before]);
  });

  it('is judged in the order of the answers, not of the requests', () => {
    const waited = undecided(990, 1_100);
    const turnedAway = undecided(1_150, 1_151);
    expect(excuseOutages([turnedAway, waited], PAUSES)).toStrictEqual([]);
  });
});
