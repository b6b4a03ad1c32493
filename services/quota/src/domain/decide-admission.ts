import type { AdmissionDecision, AdmissionRequest } from '@sluice/contracts';
import { faultOfAdmission } from './admission-fault.ts';
import type { AdmissionQueue, Caller } from './admission-queue.ts';
import type { StoreHealth } from './store-health.ts';

export interface Limiter {
  readonly queue: AdmissionQueue;
  readonly health: Pick<StoreHealth, 'answersFor'>;
}

/**
 * Fails closed: while the store does not answer, nothing is admitted. Rejects with InvalidAdmissionError. Not an async
 * function, which would make two promises more for every admission.
 */
export function decideAdmission(
  { queue, health }: Limiter,
  request: AdmissionRequest,
  caller: Caller | undefined,
): Promise<AdmissionDecision> {
  const fault = faultOfAdmission(request);
  if (fault !== undefined) return Promise.reject(fault);
  if (!health.answersFor(request.organization)) return Promise.resolve(queue.turnAway(request));
  return queue.admit(request, caller);
}

/** What is left to an organization: the decision about an admission that costs nothing. */
export function peekAdmission(
  limiter: Limiter,
  request: AdmissionRequest,
): Promise<AdmissionDecision> {
  return decideAdmission(limiter, { ...request, requests: 0, tokens: 0 }, undefined);
}
