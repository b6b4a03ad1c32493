import { LIMIT_NAMES } from '@sluice/contracts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LOOK, NOON, ONE_REQUEST, UNLIMITED } from '../support/calls.ts';
import type { ClockedLedger } from '../support/clocked-ledger.ts';
import { cost, limitAmount, limits, moment } from '../support/traffic.ts';

export function describeRevisions(openLedger: () => ClockedLedger): void {
  describe('a revision of the limits', () => {
    it('that is stale changes nothing', async () => {
      await fc.assert(
        fc.asyncProperty(moment, limits, limits, cost, async (from, present, stale, asked) => {
          const ledger = openLedger();
          const organization = ledger.newOrganization();
          const newest = { epoch: 2, sequence: 5 };
          const current = { organization, limits: present, revision: newest };
          await ledger.decideOneAt(from, current, asked);
          const before = await ledger.stateOf(organization);
          for (const old of [{ epoch: 2, sequence: 4 }, { epoch: 1, sequence: 9 }, newest]) {
            const outdated = { organization, limits: stale, revision: old };
            const byStale = await ledger.decideOneAt(from, outdated, LOOK);
            expect(byStale).toStrictEqual(await ledger.decideOneAt(from, current, LOOK));
          }
          expect(await ledger.stateOf(organization)).toStrictEqual(before);
        }),
      );
    });

    it.each(LIMIT_NAMES)(
      'that changes %s alone is told to whoever has an older one',
      async (name) => {
        const ledger = openLedger();
        const organization = ledger.newOrganization();
        const limited = (limit: number, sequence: number) => ({
          organization,
          limits: { ...UNLIMITED, [name]: limit },
          revision: { epoch: 1, sequence },
        });
        await ledger.decideOneAt(NOON, limited(7, 2), LOOK);
        const outdated = await ledger.decideOneAt(NOON, limited(100, 1), LOOK);
        expect(outdated.windows[name]).toMatchObject({ limit: 7, remaining: 7 });
      },
    );

    it('that lowers a limit locks out for a minute, one that raises it gives room at once', async () => {
      await fc.assert(
        fc.asyncProperty(moment, limitAmount, limitAmount, async (from, first, second) => {
          const ledger = openLedger();
          const organization = ledger.newOrganization();
          const limited = (limit: number, sequence: number) => ({
            organization,
            limits: { ...UNLIMITED, tokens_per_minute: limit },
            revision: { epoch: 1, sequence },
          });
          const all = { requests: 0, tokens: first };
          await ledger.decideOneAt(from, limited(first, 1), all);
          const changed = await ledger.decideOneAt(from, limited(second, 2), LOOK);
          const room = Math.max(0, second - first);
          expect(changed.windows.tokens_per_minute?.remaining).toBe(room);
          const whole = { requests: 0, tokens: second };
          const later = await ledger.decideOneAt(from + 60_000, limited(second, 2), whole);
          expect(later.outcome).toBe('admitted');
        }),
      );
    });

    it('is stored even by a refusal', async () => {
      const ledger = openLedger();
      const organization = ledger.newOrganization();
      const limited = (limit: number, sequence: number) => ({
        organization,
        limits: { ...UNLIMITED, requests_per_minute: limit },
        revision: { epoch: 1, sequence },
      });
      await ledger.decideOneAt(NOON, limited(100, 1), ONE_REQUEST);
      expect(await ledger.decideOneAt(NOON, limited(0, 2), ONE_REQUEST)).toMatchObject({
        outcome: 'refused',
      });
      expect(await ledger.decideOneAt(NOON, limited(100, 1), ONE_REQUEST)).toMatchObject({
        outcome: 'refused',
        windows: { requests_per_minute: { limit: 0 } },
      });
    });

    it('of a store made anew wins over every earlier one', async () => {
      const ledger = openLedger();
      const organization = ledger.newOrganization();
      const limited = (limit: number, revision: { epoch: number; sequence: number }) => ({
        organization,
        limits: { ...UNLIMITED, requests_per_minute: limit },
        revision,
      });
      await ledger.decideOneAt(NOON, limited(100, { epoch: 1, sequence: 900 }), ONE_REQUEST);
      const restored = limited(50, { epoch: 2, sequence: 1 });
      expect(await ledger.decideOneAt(NOON, restored, ONE_REQUEST)).toMatchObject({
        outcome: 'admitted',
        windows: { requests_per_minute: { limit: 50, remaining: 48 } },
      });
    });
  });
}
