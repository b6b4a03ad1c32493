import type { CatalogAdminClient } from '@sluice/rpc';
import { account, model, organization, plan, project } from './example-documents.ts';

/** Creates one resource of each kind. */
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
