import { effectiveLimits, limitsSequence, type AdmissionRequest } from '@sluice/contracts';
import type { CatalogAdminClient } from '@sluice/rpc';
import { findResource } from '../catalog/resources.ts';
import { CommandFailure } from '../command.ts';

/** How often the organization and its plan are read in total, if the organization changes in between. */
const TRIES = 10;

/**
 * Builds an admission request with cost 0, whose answer is the current state of the limits. The quota service keeps the
 * newest limits that it receives. If the organization and the plan were read at different times, it might keep a
 * combination of them that never applied. Therefore the organization is read before and after its plan.
 */
export async function readLimits(
  admin: Pick<CatalogAdminClient, 'getResource' | 'listResources'>,
  id: string,
): Promise<AdmissionRequest> {
  // The position is read first. If the store is created again before the limits are read, they are sent with the old
  // epoch. The quota service then replaces them as soon as it receives limits with the new epoch.
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
