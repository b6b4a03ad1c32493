import type { AdmissionDecision, AdmissionRequest } from '@sluice/contracts';
import type { QuotaHandlers } from '@sluice/rpc';
import { startSpan, tracingEnabled, type Context } from '@sluice/telemetry';
import { faultOfAdmission } from '../domain/admission-fault.ts';
import type { AdmissionQueue, Caller } from '../domain/admission-queue.ts';
import type { StoreHealth } from '../domain/store-health.ts';

/** Fails closed: while the store does not answer, nothing is admitted. */
export function quotaHandlers(
  queue: AdmissionQueue,
  health: Pick<StoreHealth, 'answersFor'>,
): QuotaHandlers {
  const decide = (request: AdmissionRequest, caller?: Caller): Promise<AdmissionDecision> => {
    const fault = faultOfAdmission(request);
    if (fault !== undefined) return Promise.reject(fault);
    if (!health.answersFor(request.organization)) return Promise.resolve(queue.turnAway(request));
    return queue.admit(request, caller);
  };
  return {
    admit: (request, parent, caller) =>
      tracingEnabled() ? traced(parent, () => decide(request, caller)) : decide(request, caller),
    peek: (request) => decide({ ...request, requests: 0, tokens: 0 }),
  };
}

/** Many share a stream: each has a span of its own, which a call by itself has from its transport. */
async function traced(
  parent: Context | undefined,
  work: () => Promise<AdmissionDecision>,
): Promise<AdmissionDecision> {
  const span = startSpan('quota.Admit', { role: 'server', parent });
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
