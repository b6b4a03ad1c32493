import { describe, expect, it } from 'vitest';
import { MAX_AMOUNT } from './limits.ts';
import { RESOURCE_KINDS, ResourceFile, ResourceSchemas } from './resources.ts';

describe('a resource', () => {
  it('gets cautious defaults: no access, no promise to keep content', () => {
    expect(ResourceSchemas.accounts.parse({ id: 'ada' })).toEqual({
      id: 'ada',
      access: 'waiting',
      onboarding: 'pending',
      restricted: false,
    });
    const members = [{ account: 'ada' }];
    expect(ResourceSchemas.organizations.parse({ id: 'o', plan: 'p', members })).toEqual({
      id: 'o',
      plan: 'p',
      limits: {},
      retention: 'zero',
      billing: 'ok',
      members: [{ account: 'ada', active: true }],
    });
  });

  it('of a plan is unlimited if it is not set', () => {
    expect(ResourceSchemas.plans.parse({ id: 'p', limits: { requests_per_day: 5 } })).toEqual({
      id: 'p',
      limits: {
        requests_per_minute: null,
        requests_per_day: 5,
        tokens_per_minute: null,
        tokens_per_day: null,
      },
      models: ['*'],
      credentials: ['api_key', 'playground'],
    });
  });

  it.each([
    { amount: 0, fits: true },
    { amount: MAX_AMOUNT, fits: true },
    { amount: -1, fits: false },
    { amount: 0.5, fits: false },
    { amount: MAX_AMOUNT + 1, fits: false },
  ])('has limits that the limiter can decide by, as $amount: $fits', ({ amount, fits }) => {
    const limits = { tokens_per_day: amount };
    expect(ResourceSchemas.plans.safeParse({ id: 'p', limits }).success).toBe(fits);
    const organization = { id: 'o', plan: 'p', limits };
    expect(ResourceSchemas.organizations.safeParse(organization).success).toBe(fits);
  });

  it('distinguishes an unlimited limit from an absent one', () => {
    const { limits } = ResourceSchemas.organizations.parse({
      id: 'o',
      plan: 'p',
      limits: { tokens_per_day: null },
    });
    expect(limits).toEqual({ tokens_per_day: null });
    expect('requests_per_day' in limits).toBe(false);
  });

  it.each(['ada', 'ada@example.com', 'A-1_b.c', '7'])('may be called %s', (id) => {
    expect(ResourceSchemas.accounts.safeParse({ id }).success).toBe(true);
  });

  it.each(['', '.', '-a', '@a', 'a b', 'a/b', 'a*', 'ä', 'a'.repeat(129)])(
    'cannot be called %j',
    (id) => {
      expect(ResourceSchemas.accounts.safeParse({ id }).success).toBe(false);
    },
  );
});

describe('a model', () => {
  const entered = { id: 'm', owned_by: 'acme', pool: 'default', runtime_model: 'm' };

  it.each([
    { max_output_tokens: 5, default_parameters: { max_tokens: 5 } },
    { reasoning: { supported_efforts: ['low', 'high'], default_effort: 'high' } },
  ])('is accepted with %j', (fields) => {
    expect(ResourceSchemas.models.safeParse({ ...entered, ...fields }).success).toBe(true);
  });

  it.each([
    { max_output_tokens: 5, default_parameters: { max_tokens: 6 } },
    { reasoning: { supported_efforts: ['low', 'high'], default_effort: 'medium' } },
  ])('contradicts itself with %j', (fields) => {
    expect(ResourceSchemas.models.safeParse({ ...entered, ...fields }).success).toBe(false);
  });
});

describe('the file of resources', () => {
  it('may hold every kind but API keys, which are never written down', () => {
    const kinds = Object.keys(ResourceFile.shape);
    expect(kinds).toEqual(RESOURCE_KINDS.filter((kind) => kind !== 'api_keys'));
  });

  it('refuses a list that it does not know', () => {
    expect(ResourceFile.safeParse({ plan: [] }).success).toBe(false);
    expect(ResourceFile.parse({})).toEqual({});
  });
});
