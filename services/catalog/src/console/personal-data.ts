import { getResource } from '../changes/manage-resources.ts';
import type { CatalogView } from '../model/catalog-state.ts';

/** Everything that the catalog holds about an account, as JSON for the person. Digests of secrets are left out. */
export function exportPersonalData(catalog: CatalogView, id: string): string {
  const { document: account } = getResource(catalog, 'accounts', id);
  const organizations = [];
  for (const { document } of catalog.all('organizations')) {
    const member = document.members.find((one) => one.account === id);
    if (member === undefined) continue;
    organizations.push({ id: document.id, name: document.name ?? null, membership: member });
  }
  const apiKeys = [];
  for (const { document } of catalog.all('api_keys')) {
    if (document.creator !== id) continue;
    const { sha256: _sha256, ...key } = document;
    apiKeys.push(key);
  }
  const email = account.email?.toLowerCase();
  const invitations = [];
  for (const { document } of catalog.all('invitations')) {
    const isForAccount = email !== undefined && document.email?.toLowerCase() === email;
    if (!isForAccount && document.invited_by !== id) continue;
    const { sha256: _sha256, ...invitation } = document;
    invitations.push(invitation);
  }
  return JSON.stringify({ account, organizations, api_keys: apiKeys, invitations }, undefined, 2);
}
