import { mintApiKey } from '@sluice/contracts';
import { expect } from 'vitest';
import type { Case, CaseGroup } from './case.ts';
import { expectError, rateLimitNames } from './expectations.ts';
import type { World } from './world.ts';

/** Freezes a process of the stack, which holds its connections open and answers nothing. */
async function without(world: World, name: string, act: () => Promise<void>): Promise<void> {
  await world.stack.kill(name, 'SIGSTOP');
  try {
    await act();
  } finally {
    await world.stack.kill(name, 'SIGCONT');
  }
  await expect.poll(async () => (await world.complete()).status, { timeout: 10_000 }).toBe(200);
}

const outages: Case[] = [
  {
    title: 'a frozen limiter is a 503 in time, whatever else is wrong, without rate-limit headers',
    proves: ['D70', 'D72', 'I106', 'D59'],
    run: async (world) => {
      await without(world, 'quota', async () => {
        const replies = [
          await world.request('/models'),
          await world.complete(),
          await world.complete({ stream: true }),
          await world.complete({ temperature: 9 }),
          await world.request('/nothing'),
        ];
        for (const reply of replies) {
          await expectError(reply, {
            status: 503,
            type: 'api_error',
            code: 'rate_limit_unavailable',
            param: null,
          });
          expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
          expect(rateLimitNames(reply)).toEqual([]);
          expect(reply.headers.get('service-data-retention')).toBe('zero');
        }
      });
    },
  },
  {
    title: 'a frozen catalog stops only callers that the gateway has not cached',
    proves: ['D71'],
    run: async (world) => {
      expect((await world.request('/models')).status).toBe(200);
      await without(world, 'catalog', async () => {
        const unknownCaller = await world.request('/models', { credential: mintApiKey() });
        await expectError(unknownCaller, {
          status: 503,
          type: 'api_error',
          code: 'authentication_unavailable',
          param: null,
        });
        expect(unknownCaller.headers.get('service-data-retention')).toBe('zero');
        expect(Number(unknownCaller.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
        expect(rateLimitNames(unknownCaller)).toEqual([]);
        expect((await world.request('/models')).status).toBe(200);
        expect((await world.complete()).status).toBe(200);
      });
    },
  },
];

export const outageCases: CaseGroup[] = [{ section: 'without a neighbour', cases: outages }];
