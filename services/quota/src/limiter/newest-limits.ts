import { isBefore, type AdmissionRequest, type Limits, type Revision } from '@sluice/contracts';

/**
 * The newest limits among these admissions. Admissions of one organization may come from gateways that know different
 * limits, and the newest limits apply to all of them.
 */
export function newestLimits(requests: readonly AdmissionRequest[]): {
  organization: string;
  limits: Limits;
  revision: Revision;
} {
  const [first, ...others] = requests;
  if (first === undefined) throw new RangeError('no admission was given');
  let newest = first;
  for (const request of others) if (isBefore(newest.revision, request.revision)) newest = request;
  const { organization, limits, revision } = newest;
  return { organization, limits, revision };
}
