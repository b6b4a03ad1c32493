import type { AdmissionDecision } from '@sluice/contracts';
import type { QuotaHandlers } from '@sluice/rpc';
import { startSpan, tracingEnabled, type Context } from '@sluice/service';
import { decideAdmission, peekAdmission, type Limiter } from '../limiter/decide-admission.ts';

export function quotaHandlers(limiter: Limiter): QuotaHandlers {
  return {
    admit: (request, parent, caller) =>
      tracingEnabled()
        ? traced(parent, () => decideAdmission(limiter, request, caller))
        : decideAdmission(limiter, request, caller),
    peek: (request) => peekAdmission(limiter, request),
  };
}

/** Many admissions share one gRPC stream, so each needs its own span. The gRPC server creates the span of a peek. */
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
