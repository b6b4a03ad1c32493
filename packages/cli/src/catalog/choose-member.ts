import type { CatalogAdminClient } from '@sluice/rpc';
import { CommandFailure } from '../command.ts';
import { requireProject } from './require-project.ts';
import { findResource } from './resources.ts';

/**
 * The default account for a credential of a project: the first active member of its organization that has access. If
 * none has access, it is the first active member. The catalog then refuses the credential and says why.
 */
export async function chooseMember(
  admin: CatalogAdminClient,
  project: string,
  option: string,
): Promise<string> {
  const { organization: id } = await requireProject(admin, project);
  const organization = await findResource(admin, 'organizations', id);
  const active = (organization?.document.members ?? []).filter((member) => member.active);
  const [first] = active;
  if (first === undefined) {
    throw new CommandFailure(
      `organization ${id} has no active member; add one, or name an account with ${option}`,
    );
  }
  for (const { account } of active) {
    const found = await findResource(admin, 'accounts', account);
    if (found?.document.access === 'granted' && !found.document.restricted) return account;
  }
  return first.account;
}
