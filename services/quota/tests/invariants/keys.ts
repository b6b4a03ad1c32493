import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY, REVISION } from '../support/calls.ts';
import type { ClockedLimitStore } from '../support/clocked-limit-store.ts';
import { PACKED_AT } from '../support/packed-state.ts';
import { clockStep, cost, limits, moment } from '../support/traffic.ts';

/** Tolerance for the duration of the test itself. */
const TOLERANCE_MS = 5_000;

function countedDayOf(state: Buffer | null): number | undefined {
  return state?.readDoubleLE(PACKED_AT.day);
}

export function describeKeys(openStore: () => ClockedLimitStore): void {
  describe('a key', () => {
    it('outlives midnight by two to three minutes after any traffic', async () => {
      const asks = fc.array(fc.tuple(clockStep, cost), { minLength: 1, maxLength: 5 });
      await fc.assert(
        fc.asyncProperty(moment, limits, asks, async (from, given, asks) => {
          const store = openStore();
          const organization = store.newOrganization();
          const call = { organization, limits: given, revision: REVISION };
          let clock = from;
          let writtenAt = from;
          // The expiry is set once a day, by the clock of the store and not by the clock of the test.
          let endGivenAt = from;
          for (const [step, asked] of asks) {
            clock += step;
            const before = await store.stateOf(organization);
            const { decidedAtMs } = await store.decideOneAt(clock, call, asked);
            const after = await store.stateOf(organization);
            if (before === null || after?.equals(before) === false) writtenAt = decidedAtMs;
            if (countedDayOf(before) !== countedDayOf(after)) endGivenAt = decidedAtMs;
          }
          // After a step back over midnight, the counted day is tomorrow.
          const countedDay = countedDayOf(await store.stateOf(organization)) ?? 0;
          const today = Math.floor(writtenAt / DAY);
          expect([today, today + 1]).toContain(countedDay);
          const untilMidnight = (countedDay + 1) * DAY - endGivenAt;
          const timeToLive = await store.timeToLiveOf(organization);
          expect(timeToLive).toBeLessThanOrEqual(untilMidnight + 180_000);
          expect(timeToLive).toBeGreaterThan(untilMidnight + 120_000 - TOLERANCE_MS);
        }),
      );
    });

    it('that has expired equals a full bucket of a new day', async () => {
      await fc.assert(
        fc.asyncProperty(moment, limits, cost, cost, async (from, given, first, second) => {
          const store = openStore();
          const call = { limits: given, revision: REVISION };
          const kept = { organization: store.newOrganization(), ...call };
          const expired = { organization: store.newOrganization(), ...call };
          for (const either of [kept, expired]) await store.decideOneAt(from, either, first);
          await store.expire(expired.organization);
          const afterExpiry = (Math.floor(from / DAY) + 1) * DAY + 120_000;
          expect(await store.decideOneAt(afterExpiry, expired, second)).toStrictEqual(
            await store.decideOneAt(afterExpiry, kept, second),
          );
        }),
      );
    });
  });
}
