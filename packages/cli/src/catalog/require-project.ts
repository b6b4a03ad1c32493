import type { ResourceOf } from '@sluice/contracts';
import type { CatalogAdminClient } from '@sluice/rpc';
import { CommandFailure } from '../command.ts';
import { findResource } from './resources.ts';

/** Finds the project with the id that was given on the command line, or fails. */
export async function requireProject(
  admin: CatalogAdminClient,
  id: string,
): Promise<ResourceOf<'projects'>> {
  const found = await findResource(admin, 'projects', id);
  if (found !== undefined) return found.document;
  throw new CommandFailure(`there is no project ${id}; 'sluice get projects' lists them`);
}
