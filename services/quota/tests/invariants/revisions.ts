import { LIMIT_NAMES } from '@sluice/contracts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PEEK, NOON, ONE_REQUEST, UNLIMITED } from '../support/calls.ts';
import type { ClockedLimitStore } from '../support/clocked-limit-store.ts';
import { cost, limitAmount, limits, moment } from '../support/traffic.ts';

export function describeRevisions(openStore: () => ClockedLimitStore): void {
  describe('a revision of the limits', () => {
    it('that is stale changes nothing', async () => {
      await fc.assert(
        fc.asyncProperty(moment, limits, limits, cost, async (from, present, stale, asked) => {
          const store = openStore();
          const organization = store.newOrganization();
          const newest = { epoch: 2, sequence: 5 };
          const current = { organization, limits: present, revision: newest };
          await store.decideOneAt(from, current, asked);
          const before = await store.stateOf(organization);
          for (const old of [{ epoch: 2, sequence: 4 }, { epoch: 1, sequence: 9 }, newest]) {
            const outdated = { organization, limits: stale, revision: old };
            const byStale = await store.decideOneAt(from, outdated, PEEK);
            expect(byStale).toStrictEqual(await store.decideOneAt(from, current, PEEK));
          }
          expect(await store.stateOf(organization)).toStrictEqual(before);
        }),
      );
    });

    it.each(LIMIT_NAMES)(
      'that changes only %s is returned to gateways with an older one',
      async (name) => {
        const store = openStore();
        const organization = store.newOrganization();
        const limited = (limit: number, sequence: number) => ({
          organization,
          limits: { ...UNLIMITED, [name]: limit },
          revision: { epoch: 1, sequence },
        });
        await store.decideOneAt(NOON, limited(7, 2), PEEK);
        const outdated = await store.decideOneAt(NOON, limited(100, 1), PEEK);
        expect(outdated.windows[name]).toMatchObject({ limit: 7, remaining: 7 });
      },
    );

    it('that lowers a limit locks out for at most a minute, and one that raises it applies at once', async () => {
      await fc.assert(
        fc.asyncProperty(moment, limitAmount, limitAmount, async (from, first, second) => {
          const store = openStore();
          const organization = store.newOrganization();
          const limited = (limit: number, sequence: number) => ({
            organization,
            limits: { ...UNLIMITED, tokens_per_minute: limit },
            revision: { epoch: 1, sequence },
          });
          const all = { requests: 0, tokens: first };
          await store.decideOneAt(from, limited(first, 1), all);
          const changed = await store.decideOneAt(from, limited(second, 2), PEEK);
          const room = Math.max(0, second - first);
          expect(changed.windows.tokens_per_minute?.remaining).toBe(room);
          const whole = { requests: 0, tokens: second };
          const later = await store.decideOneAt(from + 60_000, limited(second, 2), whole);
          expect(later.outcome).toBe('admitted');
        }),
      );
    });

    it('is stored even with a refusal', async () => {
      const store = openStore();
      const organization = store.newOrganization();
      const limited = (limit: number, sequence: number) => ({
        organization,
        limits: { ...UNLIMITED, requests_per_minute: limit },
        revision: { epoch: 1, sequence },
      });
      await store.decideOneAt(NOON, limited(100, 1), ONE_REQUEST);
      expect(await store.decideOneAt(NOON, limited(0, 2), ONE_REQUEST)).toMatchObject({
        outcome: 'refused',
      });
      expect(await store.decideOneAt(NOON, limited(100, 1), ONE_REQUEST)).toMatchObject({
        outcome: 'refused',
        windows: { requests_per_minute: { limit: 0 } },
      });
    });

    it('of a recreated catalog store is newer than all earlier ones', async () => {
      const store = openStore();
      const organization = store.newOrganization();
      const limited = (limit: number, revision: { epoch: number; sequence: number }) => ({
        organization,
        limits: { ...UNLIMITED, requests_per_minute: limit },
        revision,
      });
      await store.decideOneAt(NOON, limited(100, { epoch: 1, sequence: 900 }), ONE_REQUEST);
      const restored = limited(50, { epoch: 2, sequence: 1 });
      expect(await store.decideOneAt(NOON, restored, ONE_REQUEST)).toMatchObject({
        outcome: 'admitted',
        windows: { requests_per_minute: { limit: 50, remaining: 48 } },
      });
    });
  });
}
