import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../src/limiter/limit-store.ts';
import { DAY, PEEK, MIDNIGHT, REVISION, UNLIMITED } from '../support/calls.ts';
import type { ClockedLimitStore } from '../support/clocked-limit-store.ts';
import { limitAmount, limitedTraffic, moment } from '../support/traffic.ts';

const stepBack = fc.oneof(
  fc.integer({ min: 1, max: 5_000 }),
  fc.constantFrom(4_999, 5_000, 5_001),
  fc.integer({ min: 1, max: 3 * DAY }),
);

export function describeClock(openStore: () => ClockedLimitStore): void {
  describe('a clock that is set back', () => {
    it('never restores anything that was used', async () => {
      await fc.assert(
        fc.asyncProperty(
          moment,
          limitedTraffic(10),
          stepBack,
          async (from, { limits, asks }, back) => {
            const store = openStore();
            const call = { organization: store.newOrganization(), limits, revision: REVISION };
            let clock = from;
            for (const [step, asked] of asks) {
              clock += step;
              await store.decideOneAt(clock, call, asked);
            }
            const before = remainingOf(await store.decideOneAt(clock, call, PEEK));
            const after = remainingOf(await store.decideOneAt(clock - back, call, PEEK));
            for (const [index, remaining] of after.entries()) {
              expect(remaining).toBeLessThanOrEqual(before[index] ?? 0);
            }
          },
        ),
      );
    });

    it('never lets a day limit be spent twice, even if it is set back over midnight often', async () => {
      const moves = fc.array(
        fc.tuple(fc.integer({ min: -DAY, max: DAY - 1 }), fc.integer({ min: 1, max: 4 })),
        { minLength: 2, maxLength: 25, size: 'max' },
      );
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 20 }), moves, async (limit, asks) => {
          const store = openStore();
          const call = {
            organization: store.newOrganization(),
            limits: { ...UNLIMITED, tokens_per_day: limit },
            revision: REVISION,
          };
          // The day has begun. From here the clock moves within this day and the day before.
          let admitted = 0;
          const ask = async (clock: number, tokens: number) => {
            const verdict = await store.decideOneAt(clock, call, { requests: 0, tokens });
            if (verdict.outcome === 'admitted') admitted += tokens;
            else if (!verdict.exceedsCapacity) {
              expect(clock + verdict.waitMs).toBe(MIDNIGHT + DAY);
            }
            // The headers agree with the wait.
            const resetMs = verdict.windows.tokens_per_day?.resetMs ?? 0;
            expect(verdict.decidedAtMs + resetMs).toBe(MIDNIGHT + DAY);
          };
          await ask(MIDNIGHT, 1);
          for (const [offset, tokens] of asks) await ask(MIDNIGHT + offset, tokens);
          expect(admitted).toBeLessThanOrEqual(limit);
        }),
      );
    });

    it('locks out no organization for longer than a minute', async () => {
      await fc.assert(
        fc.asyncProperty(moment, limitAmount, stepBack, async (from, limit, back) => {
          const store = openStore();
          const call = {
            organization: store.newOrganization(),
            limits: { ...UNLIMITED, requests_per_minute: limit },
            revision: REVISION,
          };
          const whole = { requests: limit, tokens: 0 };
          await store.decideOneAt(from, call, whole);
          const refused = await store.decideOneAt(from - back, call, whole);
          // After a small step back, time stops until the old time is reached. After a large one, it continues.
          const continuesAt = back <= 5_000 ? from : from - back;
          expect(refused).toMatchObject({
            outcome: 'refused',
            waitMs: continuesAt + 60_000 - (from - back),
          });
          const early = await store.decideOneAt(continuesAt + 59_999, call, whole);
          expect(early.outcome).toBe('refused');
          const later = await store.decideOneAt(continuesAt + 60_000, call, whole);
          expect(later.outcome).toBe('admitted');
        }),
      );
    });
  });
}

function remainingOf({ windows }: Verdict): number[] {
  return Object.values(windows).map((window) => window?.remaining ?? 0);
}
