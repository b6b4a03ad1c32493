import type { AdmissionRequest, Limits, Revision } from '@sluice/contracts';

/** First by epoch, then by sequence. */
function isNewer(revision: Revision, than: Revision): boolean {
  if (revision.epoch !== than.epoch) return revision.epoch > than.epoch;
  return revision.sequence > than.sequence;
}

/** One organization's admissions may come from gateways that know different limits: the newest hold for all. */
export function newestLimits(requests: readonly AdmissionRequest[]): {
  organization: string;
  limits: Limits;
  revision: Revision;
} {
  const [first, ...others] = requests;
  if (first === undefined) throw new RangeError('no admission was given');
  let newest = first;
  for (const request of others) if (isNewer(request.revision, newest.revision)) newest = request;
  const { organization, limits, revision } = newest;
  return { organization, limits, revision };
}
