import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../src/limiter/limit-store.ts';
import { DAY, PEEK, REVISION, UNLIMITED } from '../support/calls.ts';
import type { ClockedLimitStore } from '../support/clocked-limit-store.ts';
import { limitAmount, limitedTraffic, moment } from '../support/traffic.ts';

export function describeWindows(openStore: () => ClockedLimitStore): void {
  describe('the windows', () => {
    it('stay between 0 and the limit, and reset is 0 exactly when nothing is used', async () => {
      await fc.assert(
        fc.asyncProperty(moment, limitedTraffic(15), async (from, { limits, asks }) => {
          const store = openStore();
          const call = { organization: store.newOrganization(), limits, revision: REVISION };
          let clock = from;
          for (const [step, asked] of asks) {
            clock += step;
            expectSaneWindows(await store.decideOneAt(clock, call, asked));
          }
          expectSaneWindows(await store.decideOneAt(clock, call, PEEK));
        }),
      );
    });

    it('are full again after reset milliseconds, and not a millisecond earlier', async () => {
      const share = fc.double({ min: 0, max: 1, noNaN: true });
      await fc.assert(
        fc.asyncProperty(moment, limitAmount, share, async (from, limit, share) => {
          const store = openStore();
          const call = {
            organization: store.newOrganization(),
            limits: { ...UNLIMITED, tokens_per_minute: limit },
            revision: REVISION,
          };
          const tokens = Math.max(1, Math.floor(limit * share));
          const { windows } = await store.decideOneAt(from, call, { requests: 0, tokens });
          const resetMs = windows.tokens_per_minute?.resetMs ?? 0;
          const early = await store.decideOneAt(from + resetMs - 1, call, PEEK);
          expect(early.windows.tokens_per_minute?.resetMs).toBe(1);
          const full = await store.decideOneAt(from + resetMs, call, PEEK);
          const whole = { limit, remaining: limit, resetMs: 0 };
          expect(full.windows.tokens_per_minute).toStrictEqual(whole);
        }),
      );
    });

    it('of a day are full again after reset milliseconds, even if the clock was set back', async () => {
      const back = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: DAY - 1 }));
      await fc.assert(
        fc.asyncProperty(moment, limitAmount, back, async (from, limit, back) => {
          const store = openStore();
          const call = {
            organization: store.newOrganization(),
            limits: { ...UNLIMITED, tokens_per_day: limit },
            revision: REVISION,
          };
          await store.decideOneAt(from, call, { requests: 0, tokens: 1 });
          await expectFullAtReset(store, call, from - back);
        }),
      );
    });
  });
}

/** Expects that the day limits are full at their reset, and not a millisecond earlier. */
async function expectFullAtReset(
  store: ClockedLimitStore,
  call: Parameters<ClockedLimitStore['decideOneAt']>[1],
  clock: number,
): Promise<void> {
  const { windows, decidedAtMs } = await store.decideOneAt(clock, call, PEEK);
  const { limit = 0, resetMs = 0 } = windows.tokens_per_day ?? {};
  const resetsAt = decidedAtMs + resetMs;
  const early = await store.decideOneAt(resetsAt - 1, call, PEEK);
  expect(early.windows.tokens_per_day).toMatchObject({ limit, resetMs: 1 });
  expect(early.windows.tokens_per_day?.remaining).toBeLessThan(limit);
  const full = await store.decideOneAt(resetsAt, call, PEEK);
  expect(full.windows.tokens_per_day).toStrictEqual({ limit, remaining: limit, resetMs: DAY });
}

function expectSaneWindows({ windows }: Verdict): void {
  for (const [name, window] of Object.entries(windows)) {
    if (window === null) continue;
    const { limit, remaining, resetMs } = window;
    expect(remaining).toBeGreaterThanOrEqual(0);
    expect(remaining).toBeLessThanOrEqual(limit);
    if (name.endsWith('_day')) continue;
    expect(resetMs).toBeLessThanOrEqual(60_000);
    // A deficit below one unit still needs time to reset.
    if (remaining < limit) expect(resetMs).toBeGreaterThan(0);
    else expect(resetMs).toBe(0);
  }
}
