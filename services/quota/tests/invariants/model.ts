import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cost, Verdict } from '../../src/limiter/limit-store.ts';
import { REVISION, UNLIMITED } from '../support/calls.ts';
import type { ClockedLimitStore } from '../support/clocked-limit-store.ts';
import { LimiterModel } from '../support/limiter-model.ts';
import {
  clockStep,
  cost,
  costWithin,
  limits,
  moment,
  pause,
  revision,
} from '../support/traffic.ts';

const givenWithCosts = limits.chain((given) =>
  fc.record({
    limits: fc.constant(given),
    costs: fc.array(fc.oneof(cost, costWithin(given)), { minLength: 1, maxLength: 4 }),
  }),
);

export function describeModel(openStore: () => ClockedLimitStore): void {
  describe('the script', () => {
    it('equals the model on every field, and writes exactly when it should', async () => {
      const call = fc.record({ step: clockStep, given: givenWithCosts, revision });
      const calls = fc.array(call, { minLength: 1, maxLength: 15, size: 'max' });
      await fc.assert(
        fc.asyncProperty(moment, calls, async (from, asks) => {
          const store = openStore();
          const organization = store.newOrganization();
          const model = new LimiterModel();
          let clock = from;
          for (const { step, given, revision } of asks) {
            clock += step;
            const before = await store.stateOf(organization);
            const verdicts = await store.decideAt(clock, { organization, revision, ...given });
            const expected = model.decide(clock, { limits: given.limits, revision }, given.costs);
            expect(verdicts).toStrictEqual(expected.verdicts);
            const after = await store.stateOf(organization);
            if (!expected.written) expect(after).toStrictEqual(before);
          }
        }),
        { numRuns: 300 },
      );
    });

    it('is exact where a sum of doubles would be rounded', async () => {
      // The wait of these costs is one unit above a whole number of milliseconds. The limits are so large
      // that the sum of the deficit and the cost is not an exact double.
      const limit = fc.integer({ min: 90_000_000_000, max: 99_999_999_999 }).filter(hasInverse);
      const elapsed = fc.integer({ min: 0, max: 20_000 });
      await fc.assert(
        fc.asyncProperty(moment, limit, elapsed, async (from, tokensPerMinute, elapsed) => {
          const store = openStore();
          const organization = store.newOrganization();
          const model = new LimiterModel();
          const given = {
            limits: { ...UNLIMITED, tokens_per_minute: tokensPerMinute },
            revision: REVISION,
          };
          const tokens = costOneUnitOver(tokensPerMinute);
          const steps: [number, Cost][] = [
            [from, { requests: 0, tokens: tokensPerMinute }],
            [from + elapsed, { requests: 0, tokens }],
            [from + elapsed, { requests: 0, tokens: tokensPerMinute - tokens }],
          ];
          for (const [clock, asked] of steps) {
            const verdict = await store.decideOneAt(clock, { organization, ...given }, asked);
            expect([verdict]).toStrictEqual(model.decide(clock, given, [asked]).verdicts);
          }
        }),
      );
    });

    it('decides a batch as the same costs one by one at the same time', async () => {
      const batches = limits.chain((given) =>
        fc.record({
          limits: fc.constant(given),
          asks: fc.array(
            fc.tuple(pause, fc.array(costWithin(given), { minLength: 2, maxLength: 8 })),
            { minLength: 1, maxLength: 4 },
          ),
        }),
      );
      await fc.assert(
        fc.asyncProperty(moment, batches, async (from, { limits, asks }) => {
          const store = openStore();
          const call = { limits, revision: REVISION };
          const together = { organization: store.newOrganization(), ...call };
          const alone = { organization: store.newOrganization(), ...call };
          let clock = from;
          for (const [step, costs] of asks) {
            clock += step;
            const asBatch = await store.decideAt(clock, { ...together, costs });
            const oneByOne: Verdict[] = [];
            for (const single of costs) {
              oneByOne.push(await store.decideOneAt(clock, alone, single));
            }
            expect(asBatch).toStrictEqual(oneByOne);
          }
          expect(await store.stateOf(together.organization)).toStrictEqual(
            await store.stateOf(alone.organization),
          );
        }),
      );
    });

    it('decides for several organizations in one call as for each alone', async () => {
      const ask = fc.record({ given: givenWithCosts, revision, asks: fc.boolean() });
      const turns = fc.array(fc.tuple(clockStep, fc.array(ask, { minLength: 20, maxLength: 20 })), {
        minLength: 1,
        maxLength: 4,
      });
      await fc.assert(
        fc.asyncProperty(moment, turns, async (from, turns) => {
          const store = openStore();
          const tenants = Array.from({ length: 20 }, () => ({
            organization: store.newOrganization(),
            model: new LimiterModel(),
          }));
          let clock = from;
          for (const [step, asks] of turns) {
            clock += step;
            const asking = tenants.flatMap((tenant, index) => {
              const ask = asks[index];
              return ask?.asks === true ? [{ ...tenant, ...ask }] : [];
            });
            const answers = await store.decideTogetherAt(
              clock,
              asking.map(({ organization, given, revision }) => ({
                organization,
                revision,
                ...given,
              })),
            );
            const expected = asking.map(({ model, given: { limits, costs }, revision }) =>
              model.decide(clock, { limits, revision }, costs),
            );
            expect(answers).toStrictEqual(expected.map(({ verdicts }) => verdicts));
          }
        }),
        { numRuns: 50 },
      );
    });
  });
}

function hasInverse(limit: number): boolean {
  return limit % 2 !== 0 && limit % 3 !== 0 && limit % 5 !== 0;
}

/** The cost for which cost * 60000 has the remainder 1 when divided by the limit. */
function costOneUnitOver(limit: number): number {
  let [rest, nextRest] = [BigInt(limit), 60_000n];
  let [factor, nextFactor] = [0n, 1n];
  while (nextRest !== 0n) {
    const quotient = rest / nextRest;
    [rest, nextRest] = [nextRest, rest - quotient * nextRest];
    [factor, nextFactor] = [nextFactor, factor - quotient * nextFactor];
  }
  return Number(factor < 0n ? factor + BigInt(limit) : factor);
}
