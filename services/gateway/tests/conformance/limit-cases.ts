import type { Plan } from '@sluice/contracts';
import { expect } from 'vitest';
import type { Case, CaseGroup } from './case.ts';
import { ALL_TRIOS, REQUEST_TRIOS, expectError, rateLimitNames } from './expectations.ts';
import type { SentenceId } from './sentences.ts';
import { PLAIN_REQUEST } from './world.ts';

type Limits = Partial<Plan['limits']>;

const LIMITED = {
  status: 429,
  type: 'rate_limit_error',
  code: 'rate_limit_exceeded',
  param: null,
} as const;
const RESET = /^(0|[1-9]\d*)(\.\d{0,2}[1-9])?s$/;
const BIG = {
  requests_per_minute: 1_000,
  requests_per_day: 5_000,
  tokens_per_minute: 50_000,
  tokens_per_day: 500_000,
};

/** The UTF-8 bytes of the messages as JSON, without the backslashes of escapes, times the ratio of the model. */
const ESTIMATE = Math.ceil(
  Buffer.byteLength(
    JSON.stringify(PLAIN_REQUEST.messages).replaceAll('\\n', 'n').replaceAll('\\"', '"'),
  ) * 0.25,
);

function refusedBy(
  name: keyof Plan['limits'],
  limits: Limits,
  proves: readonly SentenceId[],
): Case {
  const daily = name.endsWith('day');
  return {
    title: `${name} refuses with a delay, and charges nothing`,
    proves: ['I100', 'I68', 'D59', 'D10', 'I66', ...proves],
    run: async (world) => {
      const { key } = await world.tenant({ plan: { limits: { ...BIG, ...limits } } });
      expect((await world.complete({}, key)).status).toBe(200);
      const first = await world.complete({}, key);
      const message = await expectError(first, LIMITED);
      const seconds = Number(first.headers.get('retry-after'));
      const exact = Number(first.headers.get('retry-after-ms'));
      expect(seconds).toBe(Math.max(1, Math.ceil(exact / 1_000)));
      expect(rateLimitNames(first)).toEqual(ALL_TRIOS);
      expect(message.includes('resets at 00:00 UTC')).toBe(daily);
      if (!daily) expect(message).not.toMatch(/quota|billing/i);
      expect(first.headers.get('x-should-retry')).toBe(daily && exact > 60_000 ? 'false' : null);
      const second = await world.complete({}, key);
      const remaining = 'x-ratelimit-remaining-requests-day';
      expect(second.headers.get(remaining)).toBe(first.headers.get(remaining));
      await second.text();
    },
  };
}

const refusals: Case[] = [
  refusedBy('requests_per_minute', { requests_per_minute: 1 }, ['D61']),
  refusedBy('tokens_per_minute', { tokens_per_minute: ESTIMATE }, ['D61']),
  refusedBy('requests_per_day', { requests_per_day: 1 }, ['I101', 'D60']),
  refusedBy('tokens_per_day', { tokens_per_day: ESTIMATE }, ['I101', 'D60']),
  {
    title:
      'a refusal of a request larger than the limit states both numbers and a wait of a minute',
    proves: ['D64', 'D60'],
    run: async (world) => {
      const { key } = await world.tenant({
        plan: { limits: { ...BIG, tokens_per_minute: ESTIMATE - 1 } },
      });
      const reply = await world.complete({}, key);
      const message = await expectError(reply, LIMITED);
      expect(message).toContain(String(ESTIMATE));
      expect(message).toContain(String(ESTIMATE - 1));
      expect(reply.headers.get('retry-after')).toBe('60');
      expect(reply.headers.get('x-should-retry')).toBe('false');
    },
  },
  {
    title: 'a limit of 0 refuses everything',
    proves: ['D63'],
    run: async (world) => {
      const { key: credential } = await world.tenant({
        plan: { limits: { ...BIG, requests_per_minute: 0 } },
      });
      const reply = await world.request('/models', { credential });
      await expectError(reply, LIMITED);
      expect(reply.headers.get('x-ratelimit-limit-requests')).toBe('0');
      expect(reply.headers.get('x-ratelimit-remaining-requests')).toBe('0');
      expect(reply.headers.get('x-ratelimit-reset-requests')).toBe('0s');
    },
  },
  {
    title: 'a refusal replaces every other error',
    proves: ['D10', 'D9'],
    run: async (world) => {
      const { key: credential } = await world.tenant({
        plan: { limits: { ...BIG, requests_per_minute: 1 } },
      });
      expect((await world.request('/models', { credential })).status).toBe(200);
      expect((await world.complete({ temperature: 9 }, credential)).status).toBe(429);
      expect((await world.request('/nothing', { credential })).status).toBe(429);
      expect((await world.request('/models', { credential, method: 'DELETE' })).status).toBe(429);
      expect((await world.send('{', credential)).status).toBe(429);
    },
  },
];

const charges: Case[] = [
  {
    title: 'every kind of reply costs one request, once',
    proves: ['D9', 'D11', 'I65', 'I66'],
    run: async (world) => {
      const { key: credential } = await world.tenant({ plan: { limits: BIG } });
      const replies = [
        await world.request('/models', { credential }),
        await world.request('/models/sluice-demo', { credential }),
        await world.request('/models/nobody', { credential }),
        await world.request('/nothing', { credential }),
        await world.request('/models', { credential, method: 'POST' }),
        await world.complete({}, credential),
        await world.complete({ stream: true }, credential),
        await world.complete({ temperature: 9 }, credential),
        await world.complete({ model: 'nobody' }, credential),
        await world.complete(
          { messages: [{ role: 'user', content: 'x\n@sim {"status": 500}' }] },
          credential,
        ),
        await world.send('{', credential),
      ];
      for (const [index, reply] of replies.entries()) {
        const left = Number(reply.headers.get('x-ratelimit-remaining-requests-day'));
        expect([reply.url, left]).toEqual([reply.url, BIG.requests_per_day - index - 1]);
        await reply.text();
      }
    },
  },
  {
    title: 'the tokens of a completion are those estimated at admission, whatever it generates',
    proves: ['I67', 'D44'],
    run: async (world) => {
      const { key } = await world.tenant({ plan: { limits: BIG } });
      const reply = await world.complete({}, key);
      const left = Number(reply.headers.get('x-ratelimit-remaining-tokens-day'));
      expect(BIG.tokens_per_day - left).toBe(ESTIMATE);
      await reply.text();
    },
  },
  {
    title: 'an invalid completion costs no tokens',
    proves: ['D9', 'I67'],
    run: async (world) => {
      const { key } = await world.tenant({ plan: { limits: BIG } });
      const reply = await world.complete({ temperature: 9 }, key);
      expect(reply.headers.get('x-ratelimit-remaining-tokens-day')).toBe(
        String(BIG.tokens_per_day),
      );
      await reply.text();
    },
  },
  {
    title: 'organizations do not share their limits',
    proves: ['I7'],
    run: async (world) => {
      const plan = { limits: { ...BIG, requests_per_minute: 1 } };
      const [one, other] = [await world.tenant({ plan }), await world.tenant({ plan })];
      expect((await world.request('/models', { credential: one.key })).status).toBe(200);
      expect((await world.request('/models', { credential: one.key })).status).toBe(429);
      expect((await world.request('/models', { credential: other.key })).status).toBe(200);
    },
  },
];

const headers: Case[] = [
  {
    title: 'completions carry all trios, streams too',
    proves: ['I62', 'I63', 'I64', 'D62'],
    run: async (world) => {
      const { key } = await world.tenant({ plan: { limits: BIG } });
      for (const change of [{}, { stream: true }]) {
        const reply = await world.complete(change, key);
        expect(rateLimitNames(reply)).toEqual(ALL_TRIOS);
        for (const name of ALL_TRIOS) {
          const value = reply.headers.get(name) ?? '';
          expect(value).toMatch(name.includes('reset') ? RESET : /^\d+$/);
        }
        await reply.text();
      }
    },
  },
  {
    title: 'the reset of a day is the time to the next midnight',
    proves: ['I63'],
    run: async (world) => {
      const { key: credential } = await world.tenant({ plan: { limits: BIG } });
      const reply = await world.request('/models', { credential });
      const reset = Number.parseFloat(reply.headers.get('x-ratelimit-reset-requests-day') ?? '');
      const toMidnight = (86_400_000 - (Date.now() % 86_400_000)) / 1_000;
      expect(Math.abs(reset - toMidnight) % 86_400).toBeLessThan(30);
    },
  },
  {
    title: 'an unlimited trio is left out',
    proves: ['D63'],
    run: async (world) => {
      const { key } = await world.tenant({
        plan: { limits: { ...BIG, tokens_per_minute: null, tokens_per_day: null } },
      });
      expect(rateLimitNames(await world.complete({}, key))).toEqual(REQUEST_TRIOS);
      const { key: unlimited } = await world.tenant();
      expect(rateLimitNames(await world.complete({}, unlimited))).toEqual([]);
    },
  },
];

export const limitCases: CaseGroup[] = [
  { section: 'refusals by limits', cases: refusals },
  { section: 'what requests cost', cases: charges },
  { section: 'rate-limit headers', cases: headers },
];
