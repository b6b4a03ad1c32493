// oxlint-disable vitest/no-standalone-expect -- rows of a table, which run inside of tests
import { mintApiKey } from '@sluice/contracts';
import { expect } from 'vitest';
import type { Case, CaseGroup } from './case.ts';
import { expectError, rateLimitNames } from './expectations.ts';
import type { SentenceId } from './sentences.ts';
import { PLAIN_REQUEST, type TenantOptions, type World } from './world.ts';

const RETENTION = 'service-data-retention';

function unauthorized(
  title: string,
  code: 'missing_api_key' | 'invalid_api_key',
  authorization: (world: World) => string | undefined,
  proves: readonly SentenceId[],
): Case {
  return {
    title: `${title} is a 401 with nothing but ids`,
    proves: ['I9', 'I69', 'I88', ...proves],
    run: async (world) => {
      const value = authorization(world);
      const reply = await world.request('/models', {
        credential: null,
        headers: value === undefined ? {} : { authorization: value },
      });
      await expectError(reply, { status: 401, type: 'authentication_error', code, param: null });
      expect(reply.headers.has(RETENTION)).toBe(false);
      expect(rateLimitNames(reply)).toEqual([]);
    },
  };
}

function mistyped(key: string): string {
  return `${key.slice(0, 10)}${key[10] === 'a' ? 'b' : 'a'}${key.slice(11)}`;
}

const credentials: Case[] = [
  unauthorized('no Authorization header', 'missing_api_key', () => undefined, ['D54']),
  unauthorized('an empty header', 'missing_api_key', () => '', ['D54']),
  unauthorized('a scheme alone', 'missing_api_key', () => 'Bearer', ['D54']),
  unauthorized('another scheme', 'missing_api_key', ({ stack }) => `Basic ${stack.apiKey}`, [
    'D54',
  ]),
  unauthorized('a key without a scheme', 'missing_api_key', ({ stack }) => stack.apiKey, ['D54']),
  unauthorized('a word', 'invalid_api_key', () => 'Bearer hello', ['D55']),
  unauthorized(
    'a key cut short',
    'invalid_api_key',
    ({ stack }) => `Bearer ${stack.apiKey.slice(0, -1)}`,
    ['D55', 'D66'],
  ),
  unauthorized(
    'a mistyped key',
    'invalid_api_key',
    ({ stack }) => `Bearer ${mistyped(stack.apiKey)}`,
    ['D55', 'D66'],
  ),
  unauthorized(
    'a key in other case',
    'invalid_api_key',
    ({ stack }) => `Bearer ${stack.apiKey.toUpperCase()}`,
    ['D55'],
  ),
  unauthorized(
    'a well-formed key that was never created',
    'invalid_api_key',
    () => `Bearer ${mintApiKey()}`,
    ['D55'],
  ),
  unauthorized(
    'two keys',
    'invalid_api_key',
    ({ stack }) => `Bearer ${stack.apiKey} ${stack.apiKey}`,
    ['D55'],
  ),
  unauthorized('a made-up playground credential', 'invalid_api_key', () => 'Bearer pg-abc.def', [
    'D55',
  ]),
  {
    title: 'two Authorization headers count as none',
    proves: ['D54'],
    run: async (world) => {
      await using client = await world.raw();
      const line = `authorization: Bearer ${world.stack.apiKey}\r\n`;
      client.send(`GET /compat/v1/models HTTP/1.1\r\nhost: a\r\n${line}${line}\r\n`);
      const reply = await client.reply();
      expect([reply.status, reply.body.includes('missing_api_key')]).toEqual([401, true]);
    },
  },
  ...['bearer', 'BEARER', 'BeArEr', 'Bearer '].map((scheme): Case => ({
    title: `the scheme may be written '${scheme}'`,
    proves: ['D54', 'I86'],
    run: async (world) => {
      const headers = { authorization: `${scheme} ${world.stack.apiKey}` };
      const reply = await world.request('/models', { credential: null, headers });
      expect(reply.status).toBe(200);
    },
  })),
  {
    title: 'a revoked key is refused as soon as it is revoked',
    proves: ['I89', 'D55'],
    run: async (world) => {
      const { key: credential, keyId } = await world.tenant();
      expect((await world.request('/models', { credential })).status).toBe(200);
      await world.admin.revokeApiKey({ id: keyId });
      await expect
        .poll(async () => (await world.request('/models', { credential })).status)
        .toBe(401);
    },
  },
  {
    title: 'a key is refused from the moment of its expiry',
    proves: ['I89', 'D55'],
    run: async (world) => {
      const { id } = await world.tenant();
      const { key: credential } = await world.admin.createApiKey({
        project: id,
        name: 'brief',
        creator: id,
        expiresAtMs: Date.now() + 1_500,
      });
      expect((await world.request('/models', { credential })).status).toBe(200);
      await expect
        .poll(async () => (await world.request('/models', { credential })).status, {
          timeout: 5_000,
        })
        .toBe(401);
    },
  },
  {
    title: 'a credential comes before the path, the method and the body',
    proves: ['D3'],
    run: async (world) => {
      for (const [path, method] of [
        ['/nothing', 'GET'],
        ['/models', 'DELETE'],
        ['/chat/completions', 'POST'],
      ] as const) {
        expect((await world.request(path, { credential: null, method })).status).toBe(401);
      }
    },
  },
  {
    title: 'a playground credential serves every operation',
    proves: ['I87', 'I1'],
    run: async (world) => {
      const { id } = await world.tenant();
      const { token: credential } = await world.admin.issuePlaygroundToken({
        project: id,
        account: id,
      });
      expect((await world.request('/models', { credential })).status).toBe(200);
      expect((await world.request('/models/sluice-demo', { credential })).status).toBe(200);
      expect((await world.complete({}, credential)).status).toBe(200);
    },
  },
  {
    title: 'an account that waits for access cannot create a key',
    proves: ['I6'],
    run: async (world) => {
      const { id } = await world.tenant({ account: { access: 'waiting' } });
      const making = world.admin.createApiKey({ project: id, name: 'x', creator: id });
      await expect(making).rejects.toMatchObject({ name: 'RpcError' });
    },
  },
];

function forbidden(code: string, sentence: SentenceId, options: TenantOptions): Case {
  return {
    title: `${code} is a 403 on every operation, without a charge`,
    proves: ['I90', 'D4', 'I10', sentence],
    run: async (world) => {
      const { key: credential } = await world.tenant(options);
      const replies = [
        await world.request('/models', { credential }),
        await world.request('/models/sluice-demo', { credential }),
        await world.complete({}, credential),
        await world.request('/nothing', { credential }),
      ];
      for (const reply of replies) {
        await expectError(reply, { status: 403, type: 'permission_error', code, param: null });
        expect(reply.headers.get(RETENTION)).toBe('zero');
        expect(rateLimitNames(reply)).toEqual([]);
      }
    },
  };
}

function billing(
  status: number,
  code: string,
  sentence: SentenceId,
  state: 'exhausted' | 'conflict',
): Case {
  return {
    title: `${code} is a ${status} on completions only, before the body is read`,
    proves: ['D4', sentence],
    run: async (world) => {
      const { key: credential } = await world.tenant({ organization: { billing: state } });
      const reply = await world.send('not json', credential);
      await expectError(reply, { status, type: 'billing_error', code, param: null });
      expect(reply.headers.get('x-should-retry')).toBe('false');
      expect(rateLimitNames(reply)).toEqual([]);
      expect(reply.headers.has(RETENTION)).toBe(true);
      expect((await world.request('/models', { credential })).status).toBe(200);
    },
  };
}

const access: Case[] = [
  forbidden('platform_access_required', 'I94', { account: { access: 'waiting' } }),
  forbidden('account_restricted', 'I97', { account: { restricted: true } }),
  forbidden('organization_membership_required', 'I93', { inactive: true }),
  forbidden('plan_access_denied', 'I96', { plan: { credentials: ['playground'] } }),
  {
    title: 'onboarding_pending concerns playground credentials only',
    proves: ['I95'],
    run: async (world) => {
      const { id, key } = await world.tenant();
      const { token: credential } = await world.admin.issuePlaygroundToken({
        project: id,
        account: id,
      });
      await world.update('accounts', { id, access: 'granted', onboarding: 'pending' });
      await expect
        .poll(async () => (await world.request('/models', { credential })).status)
        .toBe(403);
      const reply = await world.request('/models', { credential });
      await expectError(reply, {
        status: 403,
        type: 'permission_error',
        code: 'onboarding_pending',
        param: null,
      });
      expect((await world.request('/models', { credential: key })).status).toBe(200);
    },
  },
  billing(402, 'insufficient_quota', 'D56', 'exhausted'),
  billing(409, 'billing_conflict', 'D57', 'conflict'),
  {
    title: '403 comes before billing',
    proves: ['D4'],
    run: async (world) => {
      const { key } = await world.tenant({
        account: { restricted: true },
        organization: { billing: 'exhausted' },
      });
      expect((await world.complete({}, key)).status).toBe(403);
    },
  },
  ...(['zero', 'standard', 'contributor'] as const).map((retention): Case => ({
    title: `the retention of an organization (${retention}) is on every reply to it`,
    proves: ['I10', 'I61', 'D69'],
    run: async (world) => {
      const { key: credential } = await world.tenant({ organization: { retention } });
      const replies = [
        await world.request('/models', { credential }),
        await world.request('/nothing', { credential }),
        await world.complete({}, credential),
        await world.complete({ temperature: 3 }, credential),
        await world.complete({ stream: true }, credential),
      ];
      for (const reply of replies) {
        expect(reply.headers.get(RETENTION)).toBe(retention);
        await reply.text();
      }
    },
  })),
  {
    title: 'models differ between plans',
    proves: ['I8'],
    run: async (world) => {
      const { key: credential } = await world.tenant({ plan: { models: ['sluice-s*'] } });
      const list = (await (await world.request('/models', { credential })).json()) as {
        data: { id: string }[];
      };
      expect(list.data.map(({ id }) => id)).toEqual(['sluice-small', 'sluice-strict']);
      const reply = await world.send(
        JSON.stringify({ ...PLAIN_REQUEST, model: 'sluice-demo' }),
        credential,
      );
      expect(reply.status).toBe(404);
    },
  },
];

export const credentialCases: CaseGroup[] = [
  { section: 'credentials', cases: credentials },
  { section: 'access, billing and retention', cases: access },
];
