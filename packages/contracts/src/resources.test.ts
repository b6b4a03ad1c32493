import { describe, expect, it } from 'vitest';
import { RESOURCE_KINDS, ResourceFile, ResourceSchemas } from './resources.ts';

describe('a resource', () => {
  it('gets cautious defaults: no access, no promise to keep content', () => {
    expect(ResourceSchemas.accounts.parse({ id: 'ada' })).toEqual({
      id: 'ada',
      access: 'waiting',
      onboarding: 'pending',
      restricted: false,
    });
    expect(ResourceSchemas.organizations.parse({ id: 'o', plan: 'p' })).toEqual({
      id: 'o',
      plan: 'p',
      limits: {},
      retention: 'zero',
      billing: 'ok',
      members: [],
    });
  });

  it('tells a limit that is unlimited from one that was not given', () => {
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
