import type { Limits } from '@sluice/contracts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cost } from '../../src/limiter/limit-store.ts';
import { DAY, PEEK, NOON, ONE_REQUEST, REVISION, UNLIMITED } from '../support/calls.ts';
import type { ClockedLimitStore } from '../support/clocked-limit-store.ts';
import { PACKED_AT } from '../support/packed-state.ts';
import { limitedTraffic, moment } from '../support/traffic.ts';

export function describeRefusals(openStore: () => ClockedLimitStore): void {
  describe('a refusal', () => {
    it('leaves the stored bytes unchanged, unless the clock was set back by more than 5 s', async () => {
      let refusals = 0;
      let rebased = 0;
      const stepsBack = fc.array(
        fc.oneof(
          { weight: 6, arbitrary: fc.constant(0) },
          { weight: 1, arbitrary: fc.integer({ min: 1, max: 5_000 }) },
          { weight: 1, arbitrary: fc.integer({ min: 4_999, max: 5_002 }) },
          { weight: 1, arbitrary: fc.integer({ min: 5_001, max: 2 * DAY }) },
        ),
        { minLength: 20, maxLength: 20 },
      );
      await fc.assert(
        fc.asyncProperty(moment, limitedTraffic(20), stepsBack, async (from, traffic, backs) => {
          const { limits, asks } = traffic;
          const store = openStore();
          const organization = store.newOrganization();
          const call = { organization, limits, revision: REVISION };
          let clock = from;
          await store.decideOneAt(clock, call, PEEK);
          for (const [index, [step, asked]] of asks.entries()) {
            clock += step - (backs[index] ?? 0);
            const before = await store.stateOf(organization);
            const { outcome } = await store.decideOneAt(clock, call, asked);
            if (outcome === 'admitted') continue;
            refusals += 1;
            const after = await store.stateOf(organization);
            if ((before?.readDoubleLE(PACKED_AT.lastClock) ?? 0) - clock <= 5_000) {
              expect(after).toStrictEqual(before);
              continue;
            }
            // The state is written once for each step back. The same refusal writes nothing later.
            rebased += 1;
            expect(after?.readDoubleLE(PACKED_AT.lastClock)).toBe(clock);
            await store.decideOneAt(clock, call, PEEK);
            expect(await store.stateOf(organization)).toStrictEqual(after);
          }
        }),
      );
      expect(refusals).toBeGreaterThan(50);
      expect(rebased).toBeGreaterThan(5);
    });

    it('names the wait after which the cost is admitted, and not a millisecond earlier', async () => {
      let refusals = 0;
      await fc.assert(
        fc.asyncProperty(moment, limitedTraffic(12), async (from, { limits, asks }) => {
          const store = openStore();
          const call = { organization: store.newOrganization(), limits, revision: REVISION };
          let clock = from;
          for (const [step, asked] of asks) {
            clock += step;
            const verdict = await store.decideOneAt(clock, call, asked);
            if (verdict.outcome === 'admitted' || exceedsCapacity(limits, asked)) continue;
            refusals += 1;
            const early = await store.decideOneAt(clock + verdict.waitMs - 1, call, asked);
            expect(early.outcome).toBe('refused');
            clock += verdict.waitMs;
            const inTime = await store.decideOneAt(clock, call, asked);
            expect(inTime.outcome).toBe('admitted');
          }
        }),
      );
      expect(refusals).toBeGreaterThan(50);
    });

    it('names the limit with the longest wait', async () => {
      const store = openStore();
      const call = {
        organization: store.newOrganization(),
        limits: { ...UNLIMITED, requests_per_minute: 1, requests_per_day: 1, tokens_per_minute: 9 },
        revision: REVISION,
      };
      await store.decideOneAt(NOON, call, ONE_REQUEST);
      expect(await store.decideOneAt(NOON, call, { requests: 1, tokens: 10 })).toMatchObject({
        outcome: 'refused',
        refusedBy: 'requests_per_day',
        waitMs: 43_200_000,
        exceedsCapacity: false,
      });
    });

    it('prefers, among equal waits, the limit that the cost exceeds', async () => {
      const store = openStore();
      const call = {
        organization: store.newOrganization(),
        limits: { ...UNLIMITED, requests_per_minute: 1, tokens_per_minute: 9 },
        revision: REVISION,
      };
      await store.decideOneAt(NOON, call, ONE_REQUEST);
      // Also after a small step back, which makes every wait longer.
      for (const clock of [NOON, NOON - 3_000]) {
        expect(await store.decideOneAt(clock, call, { requests: 1, tokens: 10 })).toMatchObject({
          outcome: 'refused',
          refusedBy: 'tokens_per_minute',
          exceedsCapacity: true,
        });
      }
    });

    it('of a cost above the whole limit is marked and waits a minute', async () => {
      const store = openStore();
      const call = {
        organization: store.newOrganization(),
        limits: { ...UNLIMITED, tokens_per_minute: 100 },
        revision: REVISION,
      };
      expect(await store.decideOneAt(NOON, call, { requests: 1, tokens: 101 })).toMatchObject({
        outcome: 'refused',
        refusedBy: 'tokens_per_minute',
        exceedsCapacity: true,
        waitMs: 60_000,
        windows: { tokens_per_minute: { limit: 100, remaining: 100, resetMs: 0 } },
      });
    });

    it('by a limit of 0 applies to every cost above 0', async () => {
      const store = openStore();
      const call = {
        organization: store.newOrganization(),
        limits: { ...UNLIMITED, tokens_per_minute: 0 },
        revision: REVISION,
      };
      expect(await store.decideOneAt(NOON, call, { requests: 1, tokens: 1 })).toMatchObject({
        outcome: 'refused',
        waitMs: 60_000,
        windows: { tokens_per_minute: { limit: 0, remaining: 0, resetMs: 0 } },
      });
      expect(await store.decideOneAt(NOON, call, ONE_REQUEST)).toMatchObject({
        outcome: 'admitted',
      });
    });
  });
}

function exceedsCapacity(limits: Limits, asked: Cost): boolean {
  return (['requests', 'tokens'] as const).some((unit) =>
    [limits[`${unit}_per_minute`], limits[`${unit}_per_day`]].some(
      (limit) => limit !== null && asked[unit] > limit,
    ),
  );
}
