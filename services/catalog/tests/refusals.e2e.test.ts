import { HeaderName, mintApiKey } from '@sluice/contracts';
import { useLeakCheck, useStack, waitUntil } from '@sluice/devkit';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  MODEL,
  complete,
  everyOperation,
  expectRefusal,
  getModels,
  type ApiReply,
} from './api-requests.ts';
import { StackCommand } from './sluice-command.ts';

useLeakCheck({ timeoutMs: 10_000 });

const CACHE_MS = 3_000;
const STALE_MS = 10_000;
const stack = useStack({
  environment: { CATALOG_CACHE_MS: String(CACHE_MS), CATALOG_STALE_MS: String(STALE_MS) },
});
const command = () => new StackCommand(stack());
const apiRoot = () => stack().apiRoot;

const RETENTION = 'contributor';
const GONE = 'refusals/gone';
const ELSEWHERE = 'refusals/elsewhere';

interface TenantState {
  readonly account?: object;
  readonly organization?: object;
  readonly active?: boolean;
}

/** The state of each tenant after its credentials are made. */
const STATES = {
  good: {},
  left: { active: false },
  waiting: { account: { access: 'waiting' } },
  restricted: { account: { restricted: true } },
  'without-keys': { organization: { plan: 'people' } },
  'without-playground': { organization: { plan: 'machines' } },
  pending: { account: { onboarding: 'pending' } },
  exhausted: { organization: { billing: 'exhausted' } },
  conflict: { organization: { billing: 'conflict' } },
} as const satisfies Record<string, TenantState>;
type Tenant = keyof typeof STATES;
const TENANTS = Object.keys(STATES) as Tenant[];

/** The file that an operator applies, with every tenant in good standing or in its state. */
function resources(states: Readonly<Partial<Record<Tenant, TenantState>>>): object {
  const limits = { requests_per_minute: 100_000, tokens_per_minute: 1_000_000 };
  const model = { owned_by: 'refusals', runtime_model: MODEL, pool: 'default' };
  const models = [MODEL, GONE];
  return {
    plans: [
      { id: 'everything', limits, models },
      { id: 'people', limits, models, credentials: ['playground'] },
      { id: 'machines', limits, models, credentials: ['api_key'] },
    ],
    models: [
      { ...model, id: GONE, shutdown_date: '2020-01-01' },
      { ...model, id: ELSEWHERE },
    ],
    accounts: TENANTS.map((id) => ({
      id,
      access: 'granted',
      onboarding: 'complete',
      ...states[id]?.account,
    })),
    organizations: TENANTS.map((id) => ({
      id,
      plan: 'everything',
      retention: RETENTION,
      members: [{ account: id, active: states[id]?.active ?? true }],
      ...states[id]?.organization,
    })),
    projects: TENANTS.map((id) => ({ id, organization: id })),
  };
}

const keys = new Map<string, string>();
/** The replies to each credential before its tenant changed. */
let good: number[][] = [];
const keyOf = (name: string): string => keys.get(name) ?? '';

beforeAll(async () => {
  await command().apply(resources({}));
  for (const tenant of TENANTS) {
    keys.set(
      tenant,
      tenant === 'pending' || tenant === 'without-playground'
        ? await command().playgroundToken(tenant)
        : (await command().createKey(tenant)).key,
    );
  }
  good = await Promise.all(TENANTS.map(async (tenant) => statuses(keyOf(tenant))));
  await command().apply(resources(STATES));
});

async function statuses(credential: string): Promise<number[]> {
  return (await everyOperation(apiRoot(), credential)).map(({ status }) => status);
}

test('before the change, every credential may do everything', () => {
  expect(good).toEqual(TENANTS.map(() => [200, 200, 200]));
});

describe('401, with only the ids', () => {
  async function expectUnauthorized(credential: string | null, code: string): Promise<void> {
    for (const reply of await everyOperation(apiRoot(), credential)) {
      const type = 'authentication_error';
      expectRefusal(reply, { status: 401, type, code, retention: null, rateLimited: false });
    }
  }

  test('no credential', async () => {
    await expectUnauthorized(null, 'missing_api_key');
  });

  test('a malformed key, and an unknown one', async () => {
    await expectUnauthorized(keyOf('good').slice(0, -1), 'invalid_api_key');
    await expectUnauthorized(mintApiKey(), 'invalid_api_key');
  });

  test('a revoked key, within a second', async () => {
    const { id, key } = await command().createKey('good');
    expect(await statuses(key)).toEqual([200, 200, 200]);
    await command().json('keys', 'revoke', id);
    await waitUntil(async () => (await getModels(apiRoot(), key)).status === 401, {
      what: 'the key to be refused',
      timeoutMs: 1_000,
    });
    await expectUnauthorized(key, 'invalid_api_key');
  });

  test('an expired key from its expiry on, although the cached answer is still fresh', async () => {
    const { key, expiresAt } = await waitUntil(
      async () => {
        const soon = Date.now() + CACHE_MS - 1_000;
        const when = new Date(soon).toISOString();
        const made = await command().createKey('good', '--expires', when);
        return (
          (await getModels(apiRoot(), made.key)).status === 200 && { ...made, expiresAt: soon }
        );
      },
      { what: 'a key that is used before it expires', timeoutMs: 30_000 },
    );
    let lastGoodAt = 0;
    await waitUntil(
      async () => {
        const askedAt = Date.now();
        const { status } = await getModels(apiRoot(), key);
        if (status === 200) lastGoodAt = askedAt;
        return status === 401;
      },
      { what: 'the key to expire' },
    );
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt);
    expect(Date.now()).toBeLessThan(expiresAt + 1_000);
    expect(lastGoodAt).toBeLessThan(expiresAt);
    await expectUnauthorized(key, 'invalid_api_key');
  });
});

describe('403 on every operation, never admitted', () => {
  test.each([
    ['left', 'organization_membership_required'],
    ['waiting', 'platform_access_required'],
    ['restricted', 'account_restricted'],
    ['without-keys', 'plan_access_denied'],
    ['without-playground', 'plan_access_denied'],
    ['pending', 'onboarding_pending'],
  ] as const)('%s: %s', async (tenant, code) => {
    for (const reply of await everyOperation(apiRoot(), keyOf(tenant))) {
      const type = 'permission_error';
      expectRefusal(reply, { status: 403, type, code, retention: RETENTION, rateLimited: false });
      expect(reply.headers.has(HeaderName.shouldRetry)).toBe(false);
    }
  });
});

describe('billing refuses only completions', () => {
  test.each([
    ['exhausted', 402, 'insufficient_quota'],
    ['conflict', 409, 'billing_conflict'],
  ] as const)('%s: %i %s', async (tenant, status, code) => {
    const [list, one, completion] = await everyOperation(apiRoot(), keyOf(tenant));
    expect([list?.status, one?.status]).toEqual([200, 200]);
    if (completion === undefined) throw new Error('three operations, three replies');
    const type = 'billing_error';
    expectRefusal(completion, { status, type, code, retention: RETENTION, rateLimited: false });
    expect(completion.headers.get(HeaderName.shouldRetry)).toBe('false');
  });
});

describe('404 model_not_found, admitted', () => {
  test.each([
    ['unknown', 'refusals/never'],
    ['not in the plan', ELSEWHERE],
    ['past its shutdown date', GONE],
  ])('%s', async (_why, model) => {
    const replies = [
      await getModels(apiRoot(), keyOf('good'), model),
      await complete(apiRoot(), keyOf('good'), { model }),
    ];
    for (const reply of replies) {
      expectRefusal(reply, {
        status: 404,
        type: 'invalid_request_error',
        code: 'model_not_found',
        param: 'model',
        retention: RETENTION,
        rateLimited: true,
      });
    }
    const { body } = await getModels(apiRoot(), keyOf('good'));
    expect(body).toMatchObject({ object: 'list', data: [{ id: MODEL }] });
  });
});

describe('a catalog that cannot be asked', () => {
  /** A request that authenticates without reading the models. */
  const knock = async (key: string) => getModels(`${apiRoot()}/nothing-here`, key);

  function expectUnavailable(reply: ApiReply, code: string, expected: object): void {
    const shape = { status: 503, type: 'api_error', code, retention: 'zero', rateLimited: false };
    expectRefusal(reply, { ...shape, ...expected });
    expect(Number(reply.headers.get(HeaderName.retryAfter))).toBeGreaterThanOrEqual(1);
    expect(Number(reply.headers.get(HeaderName.retryAfterMs))).toBeGreaterThanOrEqual(1);
  }

  /** Two keys that the gateway has cached: one with the models of its organization, one without. */
  async function acquaint(): Promise<{ known: string; unseen: string }> {
    const { key: known } = await command().createKey('good');
    const unseen = stack().apiKey;
    expect(await statuses(known)).toEqual([200, 200, 200]);
    expect((await knock(unseen)).status).toBe(404);
    return { known, unseen };
  }

  async function expectOutage(known: string, unseen: string): Promise<void> {
    expect(await statuses(known)).toEqual([200, 200, 200]);
    const unknown = mintApiKey();
    expectUnavailable(await getModels(apiRoot(), unknown), 'authentication_unavailable', {});
    for (const reply of await everyOperation(apiRoot(), unseen)) {
      const expected = { retention: 'zero', rateLimited: true };
      expectUnavailable(reply, 'model_availability_unavailable', expected);
    }
  }

  test('frozen: known credentials continue to work, all others are 503', async () => {
    const { known, unseen } = await acquaint();
    await stack().kill('catalog', 'SIGSTOP');
    onTestFinished(async () => stack().kill('catalog', 'SIGCONT'));
    await expectOutage(known, unseen);
    // The gateway asks again each second. Requests with known credentials do not wait for this.
    const startedAt = performance.now();
    let slowestMs = 0;
    while (performance.now() - startedAt < 2_500) {
      const askedAt = performance.now();
      expect((await getModels(apiRoot(), known)).status).toBe(200);
      slowestMs = Math.max(slowestMs, performance.now() - askedAt);
    }
    expect(slowestMs).toBeLessThan(700);
    await stack().kill('catalog', 'SIGCONT');
    await waitUntil(async () => (await getModels(apiRoot(), unseen)).status === 200, {
      what: 'the catalog to be asked again',
    });
    expect((await getModels(apiRoot(), mintApiKey())).status).toBe(401);
  });

  test('frozen right after a revocation: the key stays revoked, and others continue to work', async () => {
    const { id, key: revoked } = await command().createKey('good');
    const other = keyOf('exhausted');
    expect((await getModels(apiRoot(), revoked)).status).toBe(200);
    expect((await getModels(apiRoot(), other)).status).toBe(200);
    await command().json('keys', 'revoke', id);
    await stack().kill('catalog', 'SIGSTOP');
    onTestFinished(async () => stack().kill('catalog', 'SIGCONT'));
    const refused = await waitUntil(
      async () => {
        const reply = await getModels(apiRoot(), revoked);
        return reply.status !== 200 && reply;
      },
      { what: 'the news of the revocation', timeoutMs: 2_000 },
    );
    expectUnavailable(refused, 'authentication_unavailable', {});
    expect((await getModels(apiRoot(), revoked)).status).toBe(503);
    expect((await getModels(apiRoot(), other)).status).toBe(200);
    await stack().kill('catalog', 'SIGCONT');
    await waitUntil(async () => (await getModels(apiRoot(), revoked)).status === 401, {
      what: 'the key to be refused by a catalog that answers',
    });
  });

  test('killed: known credentials work for the configured time, then they are 503 too', async () => {
    const startedAt = performance.now();
    const { known } = await acquaint();
    const acquaintedAt = performance.now();
    // Its supervisor is paused, so it does not restart.
    process.kill(stack().pid, 'SIGSTOP');
    onTestFinished(() => {
      process.kill(stack().pid, 'SIGCONT');
    });
    const before = await stack().service('catalog');
    await stack().kill('catalog');
    // Longer than cached answers are fresh, so that the replies fall into the outage.
    const answered = new Set<number>();
    await waitUntil(
      async () => {
        for (const status of await statuses(known)) answered.add(status);
        return performance.now() - acquaintedAt > CACHE_MS + 1_000;
      },
      { what: 'answers to be no longer fresh', everyMs: 200 },
    );
    expect([...answered]).toEqual([200]);
    const refused = await waitUntil(
      async () => {
        const reply = await getModels(apiRoot(), known);
        return reply.status === 503 && reply;
      },
      { what: 'known credentials to be refused', timeoutMs: STALE_MS + 2_000 },
    );
    expectUnavailable(refused, 'authentication_unavailable', {});
    expect(performance.now() - startedAt).toBeGreaterThan(STALE_MS);
    process.kill(stack().pid, 'SIGCONT');
    await stack().restarted(before);
    expect(await statuses(known)).toEqual([200, 200, 200]);
  });
});
