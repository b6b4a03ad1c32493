import { LARGEST_AMOUNT, LIMIT_NAMES, type AdmissionRequest } from '@sluice/contracts';

const LONGEST_ORGANIZATION = 256;

/** An admission that no limiter could decide exactly: a fault of the caller's program, not of a client. */
export class InvalidAdmissionError extends Error {
  override readonly name = 'InvalidAdmissionError';
}

/** Undefined when there is none. */
export function faultOfAdmission({
  organization,
  limits,
  revision,
  requests,
  tokens,
}: AdmissionRequest): InvalidAdmissionError | undefined {
  if (organization === '' || organization.length > LONGEST_ORGANIZATION) {
    return new InvalidAdmissionError('the organization has no usable name');
  }
  for (const name of LIMIT_NAMES) {
    const limit = limits[name];
    if (limit !== null && !isAmount(limit)) return new InvalidAdmissionError(`bad limit ${name}`);
  }
  if (!isPosition(revision.epoch) || !isPosition(revision.sequence)) {
    return new InvalidAdmissionError('bad revision of the limits');
  }
  if (!isAmount(requests) || !isAmount(tokens)) return new InvalidAdmissionError('bad cost');
  return undefined;
}

function isAmount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0 && value <= LARGEST_AMOUNT;
}

function isPosition(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
