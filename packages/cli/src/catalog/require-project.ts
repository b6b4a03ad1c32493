import type { ResourceOf } from '@sluice/contracts';
import type { CatalogAdminClient } from '@sluice/rpc';
import { CommandFailure } from '../command.ts';
import { findResource } from './resources.ts';

/** The project of that id, which somebody typed. */
export async function requireProject(
  admin: CatalogAdminClient,
  id: string,
): Promise<ResourceOf<'projects'>> {
  const found = await findResource(admin, 'projects', id);
  if (found !== undefined) return found.document;
  throw new CommandFailure(`there is no project ${id}; 'sluice get projects' lists them`);
}
