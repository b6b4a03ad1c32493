import { isBefore, type AdmissionRequest, type Limits, type Revision } from '@sluice/contracts';

/** One organization's admissions may come from gateways that know different limits: the newest hold for all. */
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
