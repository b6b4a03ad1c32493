import { MAX_AMOUNT, type Limits, type Revision } from '@sluice/contracts';
import * as fc from 'fast-check';
import type { Cost } from '../../src/limiter/limit-store.ts';
import { DAY } from './calls.ts';

/** Arbitrary traffic, biased towards edge cases of limiters. */

/** A time of an ordinary day, often within a second of midnight. */
export const moment: fc.Arbitrary<number> = fc.oneof(
  fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 }),
  fc
    .tuple(fc.integer({ min: 19_700, max: 22_000 }), fc.integer({ min: -1_000, max: 1_000 }))
    .map(([day, offset]) => day * DAY + offset),
);

export const limitAmount: fc.Arbitrary<number> = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 20 }) },
  { weight: 2, arbitrary: fc.constantFrom(7, 60, 600, 59_999, 60_000, 60_001, 100_000) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: MAX_AMOUNT }) },
  { weight: 1, arbitrary: fc.integer({ min: MAX_AMOUNT - 100, max: MAX_AMOUNT }) },
);

const limit: fc.Arbitrary<number | null> = fc.oneof(
  { weight: 7, arbitrary: limitAmount },
  { weight: 1, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.constant(null) },
);

export const limits: fc.Arbitrary<Limits> = fc.record({
  requests_per_minute: limit,
  requests_per_day: limit,
  tokens_per_minute: limit,
  tokens_per_day: limit,
});

const amount: fc.Arbitrary<number> = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 0, max: 5 }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 70_000 }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: MAX_AMOUNT }) },
  { weight: 1, arbitrary: fc.constant(MAX_AMOUNT) },
);

export const cost: fc.Arbitrary<Cost> = fc.record({ requests: amount, tokens: amount });

/** A cost that does not exceed the limits, so it fits after a wait. */
export function costWithin(given: Limits): fc.Arbitrary<Cost> {
  const within = (...bounds: (number | null)[]) => {
    const most = Math.min(MAX_AMOUNT, ...bounds.filter((bound) => bound !== null));
    return fc.oneof(
      { weight: 2, arbitrary: fc.integer({ min: 0, max: Math.min(most, 3) }) },
      { weight: 2, arbitrary: fc.integer({ min: 0, max: most }) },
      { weight: 1, arbitrary: fc.constant(most) },
    );
  };
  return fc.record({
    requests: within(given.requests_per_minute, given.requests_per_day),
    tokens: within(given.tokens_per_minute, given.tokens_per_day),
  });
}

export interface LimitedTraffic {
  readonly limits: Limits;
  /** Each step follows a pause. */
  readonly asks: readonly (readonly [pause: number, cost: Cost])[];
}

/** Limits and traffic in proportion to them, so that about half is refused. */
export function limitedTraffic(most: number): fc.Arbitrary<LimitedTraffic> {
  return limits.chain((given) =>
    fc.record({
      limits: fc.constant(given),
      asks: fc.array(
        fc.tuple(
          pause,
          fc.oneof({ weight: 4, arbitrary: costWithin(given) }, { weight: 1, arbitrary: cost }),
        ),
        { minLength: 2, maxLength: most },
      ),
    }),
  );
}

/** The time between two calls: mostly short, sometimes enough to refill or to reach the next day. */
export const pause: fc.Arbitrary<number> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 5, arbitrary: fc.integer({ min: 1, max: 3_000 }) },
  { weight: 2, arbitrary: fc.integer({ min: 59_990, max: 60_010 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 2 * DAY }) },
);

/** The change of the clock between two calls. It may be set back, by less and by more than the tolerated step. */
export const clockStep: fc.Arbitrary<number> = fc.oneof(
  { weight: 6, arbitrary: pause },
  { weight: 1, arbitrary: fc.integer({ min: -5_000, max: -1 }) },
  { weight: 1, arbitrary: fc.integer({ min: -5_010, max: -4_990 }) },
  { weight: 1, arbitrary: fc.integer({ min: -3 * DAY, max: -5_001 }) },
);

export const revision: fc.Arbitrary<Revision> = fc.record({
  epoch: fc.oneof(fc.integer({ min: 0, max: 2 }), fc.constant(1_790_000_000_000)),
  sequence: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constant(Number.MAX_SAFE_INTEGER)),
});
