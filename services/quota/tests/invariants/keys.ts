import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY, REVISION } from '../support/calls.ts';
import type { ClockedLedger } from '../support/clocked-ledger.ts';
import { PACKED_AT } from '../support/packed-state.ts';
import { clockStep, cost, limits, moment } from '../support/traffic.ts';

/** The test itself takes a moment. */
const PATIENCE_MS = 5_000;

function countedDayOf(state: Buffer | null): number | undefined {
  return state?.readDoubleLE(PACKED_AT.day);
}

export function describeKeys(openLedger: () => ClockedLedger): void {
  describe('a key', () => {
    it('outlives midnight by two to three minutes, whatever was done to it', async () => {
      const asks = fc.array(fc.tuple(clockStep, cost), { minLength: 1, maxLength: 5 });
      await fc.assert(
        fc.asyncProperty(moment, limits, asks, async (from, given, asks) => {
          const ledger = openLedger();
          const organization = ledger.newOrganization();
          const call = { organization, limits: given, revision: REVISION };
          let clock = from;
          let writtenAt = from;
          // A day is given its end once, by the store's own clock, which is not the one that is set here.
          let endGivenAt = from;
          for (const [step, asked] of asks) {
            clock += step;
            const before = await ledger.stateOf(organization);
            const { decidedAtMs } = await ledger.decideOneAt(clock, call, asked);
            const after = await ledger.stateOf(organization);
            if (before === null || after?.equals(before) === false) writtenAt = decidedAtMs;
            if (countedDayOf(before) !== countedDayOf(after)) endGivenAt = decidedAtMs;
          }
          // After a step back over midnight the day that is counted is tomorrow.
          const countedDay = countedDayOf(await ledger.stateOf(organization)) ?? 0;
          const today = Math.floor(writtenAt / DAY);
          expect([today, today + 1]).toContain(countedDay);
          const untilMidnight = (countedDay + 1) * DAY - endGivenAt;
          const timeToLive = await ledger.timeToLiveOf(organization);
          expect(timeToLive).toBeLessThanOrEqual(untilMidnight + 180_000);
          expect(timeToLive).toBeGreaterThan(untilMidnight + 120_000 - PATIENCE_MS);
        }),
      );
    });

    it('that has expired equals a full bucket of a new day', async () => {
      await fc.assert(
        fc.asyncProperty(moment, limits, cost, cost, async (from, given, first, second) => {
          const ledger = openLedger();
          const call = { limits: given, revision: REVISION };
          const kept = { organization: ledger.newOrganization(), ...call };
          const expired = { organization: ledger.newOrganization(), ...call };
          for (const either of [kept, expired]) await ledger.decideOneAt(from, either, first);
          await ledger.expire(expired.organization);
          const afterExpiry = (Math.floor(from / DAY) + 1) * DAY + 120_000;
          expect(await ledger.decideOneAt(afterExpiry, expired, second)).toStrictEqual(
            await ledger.decideOneAt(afterExpiry, kept, second),
          );
        }),
      );
    });
  });
}
