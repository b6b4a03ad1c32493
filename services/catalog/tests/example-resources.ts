import type { CatalogAdminClient } from '@sluice/rpc';

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

/** One of everything, referring to each other. */
export async function createExamples(admin: CatalogAdminClient): Promise<void> {
  await create(admin, 'plans', plan);
  await create(admin, 'models', model);
  await create(admin, 'accounts', account);
  await create(admin, 'organizations', organization);
  await create(admin, 'projects', project);
}

export function create(admin: CatalogAdminClient, kind: string, document: object) {
  return admin.createResource({ kind, document: JSON.stringify(document) });
}

export function update(admin: CatalogAdminClient, kind: string, document: object, sequence = 0) {
  return admin.updateResource({ kind, document: JSON.stringify(document), sequence });
}
