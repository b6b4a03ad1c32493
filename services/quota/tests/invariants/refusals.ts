import type { Limits } from '@sluice/contracts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cost } from '../../src/domain/ledger.ts';
import { DAY, LOOK, NOON, ONE_REQUEST, REVISION, UNLIMITED } from '../support/calls.ts';
import type { ClockedLedger } from '../support/clocked-ledger.ts';
import { PACKED_AT } from '../support/packed-state.ts';
import { limitedTraffic, moment } from '../support/traffic.ts';

export function describeRefusals(openLedger: () => ClockedLedger): void {
  describe('a refusal', () => {
    it('leaves the stored bytes as they were, but for a clock put back by more than 5 s', async () => {
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
          const ledger = openLedger();
          const organization = ledger.newOrganization();
          const call = { organization, limits, revision: REVISION };
          let clock = from;
          await ledger.decideOneAt(clock, call, LOOK);
          for (const [index, [step, asked]] of asks.entries()) {
            clock += step - (backs[index] ?? 0);
            const before = await ledger.stateOf(organization);
            const { outcome } = await ledger.decideOneAt(clock, call, asked);
            if (outcome === 'admitted') continue;
            refusals += 1;
            const after = await ledger.stateOf(organization);
            if ((before?.readDoubleLE(PACKED_AT.lastClock) ?? 0) - clock <= 5_000) {
              expect(after).toStrictEqual(before);
              continue;
            }
            // Once for each such step: the same refusal a moment later writes nothing.
            rebased += 1;
            expect(after?.readDoubleLE(PACKED_AT.lastClock)).toBe(clock);
            await ledger.decideOneAt(clock, call, LOOK);
            expect(await ledger.stateOf(organization)).toStrictEqual(after);
          }
        }),
      );
      expect(refusals).toBeGreaterThan(50);
      expect(rebased).toBeGreaterThan(5);
    });

    it('names a wait after which the cost is admitted, and not a millisecond earlier', async () => {
      let refusals = 0;
      await fc.assert(
        fc.asyncProperty(moment, limitedTraffic(12), async (from, { limits, asks }) => {
          const ledger = openLedger();
          const call = { organization: ledger.newOrganization(), limits, revision: REVISION };
          let clock = from;
          for (const [step, asked] of asks) {
            clock += step;
            const verdict = await ledger.decideOneAt(clock, call, asked);
            if (verdict.outcome === 'admitted' || exceedsCapacity(limits, asked)) continue;
            refusals += 1;
            const early = await ledger.decideOneAt(clock + verdict.waitMs - 1, call, asked);
            expect(early.outcome).toBe('refused');
            clock += verdict.waitMs;
            const inTime = await ledger.decideOneAt(clock, call, asked);
            expect(inTime.outcome).toBe('admitted');
          }
        }),
      );
      expect(refusals).toBeGreaterThan(50);
    });

    it('names the limit with the longest wait', async () => {
      const ledger = openLedger();
      const call = {
        organization: ledger.newOrganization(),
        limits: { ...UNLIMITED, requests_per_minute: 1, requests_per_day: 1, tokens_per_minute: 9 },
        revision: REVISION,
      };
      await ledger.decideOneAt(NOON, call, ONE_REQUEST);
      expect(await ledger.decideOneAt(NOON, call, { requests: 1, tokens: 10 })).toMatchObject({
        outcome: 'refused',
        refusedBy: 'requests_per_day',
        waitMs: 43_200_000,
        exceedsCapacity: false,
      });
    });

    it('prefers, among equal waits, the limit that no wait cures', async () => {
      const ledger = openLedger();
      const call = {
        organization: ledger.newOrganization(),
        limits: { ...UNLIMITED, requests_per_minute: 1, tokens_per_minute: 9 },
        revision: REVISION,
      };
      await ledger.decideOneAt(NOON, call, ONE_REQUEST);
      // Also while a step back has to be waited out, which makes every wait longer.
      for (const clock of [NOON, NOON - 3_000]) {
        expect(await ledger.decideOneAt(clock, call, { requests: 1, tokens: 10 })).toMatchObject({
          outcome: 'refused',
          refusedBy: 'tokens_per_minute',
          exceedsCapacity: true,
        });
      }
    });

    it('of more than the whole capacity says so and waits a minute', async () => {
      const ledger = openLedger();
      const call = {
        organization: ledger.newOrganization(),
        limits: { ...UNLIMITED, tokens_per_minute: 100 },
        revision: REVISION,
      };
      expect(await ledger.decideOneAt(NOON, call, { requests: 1, tokens: 101 })).toMatchObject({
        outcome: 'refused',
        refusedBy: 'tokens_per_minute',
        exceedsCapacity: true,
        waitMs: 60_000,
        windows: { tokens_per_minute: { limit: 100, remaining: 100, resetMs: 0 } },
      });
    });

    it('by a limit of 0 meets everything that costs it something', async () => {
      const ledger = openLedger();
      const call = {
        organization: ledger.newOrganization(),
        limits: { ...UNLIMITED, tokens_per_minute: 0 },
        revision: REVISION,
      };
      expect(await ledger.decideOneAt(NOON, call, { requests: 1, tokens: 1 })).toMatchObject({
        outcome: 'refused',
        waitMs: 60_000,
        windows: { tokens_per_minute: { limit: 0, remaining: 0, resetMs: 0 } },
      });
      expect(await ledger.decideOneAt(NOON, call, ONE_REQUEST)).toMatchObject({
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
