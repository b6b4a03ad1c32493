import type { Limits } from '@sluice/contracts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cost } from '../../src/limiter/limit-store.ts';
import { DAY, MIDNIGHT, REVISION, UNLIMITED } from '../support/calls.ts';
import type { ClockedLimitStore } from '../support/clocked-limit-store.ts';
import { limitedTraffic, moment } from '../support/traffic.ts';

interface Admitted extends Cost {
  readonly at: number;
}

export function describeAdmitted(openStore: () => ClockedLimitStore): void {
  describe('what is admitted', () => {
    it('stays within every limit over every interval and every day', async () => {
      await fc.assert(
        fc.asyncProperty(moment, limitedTraffic(30), async (from, { limits, asks }) => {
          const store = openStore();
          const call = { organization: store.newOrganization(), limits, revision: REVISION };
          const admitted: Admitted[] = [];
          let clock = from;
          for (const [step, asked] of asks) {
            clock += step;
            const { outcome } = await store.decideOneAt(clock, call, asked);
            if (outcome === 'admitted') admitted.push({ at: clock, ...asked });
          }
          expectWithinMinuteLimits(admitted, limits);
          expectWithinDayLimits(admitted, limits);
        }),
      );
    });

    it('counts 23:59:59.999 and 00:00:00.000 in different days', async () => {
      const store = openStore();
      const call = {
        organization: store.newOrganization(),
        limits: { ...UNLIMITED, requests_per_day: 1, tokens_per_day: 10 },
        revision: REVISION,
      };
      const whole = { requests: 1, tokens: 10 };
      expect(await store.decideOneAt(MIDNIGHT - 1, call, whole)).toMatchObject({
        outcome: 'admitted',
        windows: { requests_per_day: { remaining: 0, resetMs: 1 } },
      });
      expect(await store.decideOneAt(MIDNIGHT - 1, call, whole)).toMatchObject({
        outcome: 'refused',
        refusedBy: 'requests_per_day',
        waitMs: 1,
        exceedsCapacity: false,
      });
      expect(await store.decideOneAt(MIDNIGHT, call, whole)).toMatchObject({
        outcome: 'admitted',
        windows: { tokens_per_day: { remaining: 0, resetMs: DAY } },
      });
    });
  });
}

function expectWithinMinuteLimits(admitted: readonly Admitted[], limits: Limits): void {
  for (const unit of ['requests', 'tokens'] as const) {
    const limit = limits[`${unit}_per_minute`];
    if (limit === null) continue;
    for (const [first, { at: start }] of admitted.entries()) {
      let sum = 0n;
      for (const { at, [unit]: amount } of admitted.slice(first)) {
        sum += BigInt(amount);
        const most = BigInt(limit) * (60_000n + BigInt(at - start));
        expect(sum * 60_000n <= most, `${sum} ${unit} within ${at - start} ms`).toBe(true);
      }
    }
  }
}

function expectWithinDayLimits(admitted: readonly Admitted[], limits: Limits): void {
  for (const unit of ['requests', 'tokens'] as const) {
    const limit = limits[`${unit}_per_day`];
    if (limit === null) continue;
    const days = new Map<number, bigint>();
    for (const { at, [unit]: amount } of admitted) {
      const day = Math.floor(at / DAY);
      days.set(day, (days.get(day) ?? 0n) + BigInt(amount));
    }
    for (const sum of days.values()) {
      expect(sum <= BigInt(limit), `${sum} ${unit} a day`).toBe(true);
    }
  }
}
