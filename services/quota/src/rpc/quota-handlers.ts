import type { AdmissionDecision, AdmissionRequest } from '@sluice/contracts';
import type { QuotaHandlers } from '@sluice/rpc';
import { startSpan, tracingEnabled, type Context } from '@sluice/telemetry';
import type { AdmissionQueue, Caller } from '../domain/admission-queue.ts';
import type { Breaker } from '../domain/breaker.ts';
import { checkAdmission } from '../domain/check-admission.ts';

/** Fails closed: while the store does not answer, nothing is admitted. */
export function quotaHandlers(queue: AdmissionQueue, breaker: Breaker): QuotaHandlers {
  const decide = async (request: AdmissionRequest, caller?: Caller): Promise<AdmissionDecision> => {
    checkAdmission(request);
    return breaker.state === 'open' ? queue.turnAway() : queue.admit(request, caller);
  };
  return {
    admit: (request, parent, caller) =>
      tracingEnabled()
        ? traced('quota.Admit', parent, () => decide(request, caller))
        : decide(request, caller),
    peek: (request, parent) =>
      traced('quota.peek', parent, () => decide({ ...request, requests: 0, tokens: 0 })),
  };
}

async function traced(
  name: string,
  parent: Context | undefined,
  work: () => Promise<AdmissionDecision>,
): Promise<AdmissionDecision> {
  const span = startSpan(name, {
    role: 'server',
    ...(parent === undefined ? {} : { parent }),
  });
  try {
    const decision = await work();
    span.setAttributes({ 'sluice.outcome': decision.outcome });
    span.end();
    return decision;
  } catch (error) {
    span.end(error);
    throw error;
  }
}
