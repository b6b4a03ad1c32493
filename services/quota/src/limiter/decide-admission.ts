import {
  type AdmissionDecision,
  type AdmissionRequest,
  LIMIT_NAMES,
  MAX_AMOUNT,
} from '@sluice/contracts';
import type { AdmissionQueue, Caller } from './admission-queue.ts';
import type { StoreHealth } from './limit-store.ts';

export interface Limiter {
  readonly queue: AdmissionQueue;
  readonly health: Pick<StoreHealth, 'answersFor'>;
}

/**
 * Decides an admission. While the store does not answer, nothing is admitted. Rejects with InvalidAdmissionError if the
 * request is invalid. It is not an async function, because that would create more promises for each admission.
 */
export function decideAdmission(
  { queue, health }: Limiter,
  request: AdmissionRequest,
  caller: Caller | undefined,
): Promise<AdmissionDecision> {
  const fault = faultOfAdmission(request);
  if (fault !== undefined) return Promise.reject(fault);
  if (!health.answersFor(request.organization)) return Promise.resolve(queue.reject(request));
  return queue.admit(request, caller);
}

/** What an organization has left of its limits: the decision about an admission that costs nothing. */
export function peekAdmission(
  limiter: Limiter,
  request: AdmissionRequest,
): Promise<AdmissionDecision> {
  return decideAdmission(limiter, { ...request, requests: 0, tokens: 0 }, undefined);
}

const MAX_ORGANIZATION_LENGTH = 256;

/** The admission has values that cannot be decided exactly. The cause is a bug in the gateway, not in the client. */
export class InvalidAdmissionError extends Error {
  override readonly name = 'InvalidAdmissionError';
}

/** The error of an invalid admission. Undefined if the admission is valid. */
export function faultOfAdmission({
  organization,
  limits,
  revision,
  requests,
  tokens,
}: AdmissionRequest): InvalidAdmissionError | undefined {
  if (organization === '' || organization.length > MAX_ORGANIZATION_LENGTH) {
    return new InvalidAdmissionError(
      `the name of the organization is empty or longer than ${MAX_ORGANIZATION_LENGTH} characters`,
    );
  }
  for (const name of LIMIT_NAMES) {
    const limit = limits[name];
    if (limit !== null && !isAmount(limit)) {
      return new InvalidAdmissionError(`the limit ${name} is invalid`);
    }
  }
  if (!isPosition(revision.epoch) || !isPosition(revision.sequence)) {
    return new InvalidAdmissionError('the revision of the limits is invalid');
  }
  if (!isAmount(requests) || !isAmount(tokens)) {
    return new InvalidAdmissionError('the cost is invalid');
  }
  return undefined;
}

function isAmount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0 && value <= MAX_AMOUNT;
}

function isPosition(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
