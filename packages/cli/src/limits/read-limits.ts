import { effectiveLimits, limitsSequence, type AdmissionRequest } from '@sluice/contracts';
import type { CatalogAdminClient } from '@sluice/rpc';
import { findResource } from '../catalog/resources.ts';
import { CommandFailure } from '../command.ts';

/** Whoever changes an organization without a pause is not waited for. */
const TRIES = 10;

/**
 * The question whose answer is the present state: the organization's limits at no cost. A limiter that is told of newer
 * limits keeps them, so the organization is read before and after its plan: limits that were never in force together
 * would be believed until the next change.
 */
export async function readLimits(
  admin: Pick<CatalogAdminClient, 'getResource' | 'listResources'>,
  id: string,
): Promise<AdmissionRequest> {
  // First: of a store that is made anew meanwhile, the limits go under the old epoch, which the new one outranks.
  const { position } = await admin.listResources({ kind: 'plans', limit: 1 });
  for (let tries = 0; tries < TRIES; tries += 1) {
    const organization = await findResource(admin, 'organizations', id);
    if (organization === undefined) {
      throw new CommandFailure(`there is no organization ${id}; 'sluice organizations' lists them`);
    }
    const { plan: planId } = organization.document;
    const plan = await findResource(admin, 'plans', planId);
    const unchanged = await findResource(admin, 'organizations', id);
    if (unchanged?.sequence !== organization.sequence) continue;
    if (plan === undefined) throw new CommandFailure(`organization ${id} has no plan ${planId}`);
    return {
      organization: id,
      limits: effectiveLimits(plan, organization),
      revision: {
        epoch: position?.epoch ?? 0,
        sequence: limitsSequence(plan, organization),
      },
      requests: 0,
      tokens: 0,
    };
  }
  throw new CommandFailure(`organization ${id} changes all the time; try again`);
}
