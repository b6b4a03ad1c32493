import type { MemoryResourceStore } from './memory-resource-store.ts';

// One example of each kind of resource, as operators write it. They refer to each other.
export const plan = {
  id: 'team',
  limits: {
    requests_per_minute: 60,
    requests_per_day: null,
    tokens_per_minute: 1_000,
    tokens_per_day: 50_000,
  },
  models: ['acme/*', 'plain'],
};

export const model = {
  id: 'acme/thinker-70b',
  owned_by: 'acme',
  context_length: 8_192,
  pool: 'default',
  runtime_model: 'thinker',
};

export const account = { id: 'ada@example.com', access: 'granted', onboarding: 'complete' };

export const organization = {
  id: 'analytical',
  plan: plan.id,
  retention: 'standard',
  members: [{ account: account.id }],
};

export const project = { id: 'engine', organization: organization.id };

export const apiKey = {
  id: 'key_one',
  project: project.id,
  name: 'laptop',
  creator: account.id,
  sha256: '0'.repeat(64),
  last_four: 'abcd',
  created_at_ms: 1_000,
  expires_at_ms: null,
  revoked_at_ms: null,
};

export function fill(store: MemoryResourceStore): void {
  store.put('plans', plan);
  store.put('models', model);
  store.put('accounts', account);
  store.put('organizations', organization);
  store.put('projects', project);
  store.put('api_keys', apiKey);
}
