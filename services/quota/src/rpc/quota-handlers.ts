import type { AdmissionDecision } from '@sluice/contracts';
import type { QuotaHandlers } from '@sluice/rpc';
import { startSpan, tracingEnabled, type Context } from '@sluice/telemetry';
import { decideAdmission, peekAdmission, type Limiter } from '../domain/decide-admission.ts';

export function quotaHandlers(limiter: Limiter): QuotaHandlers {
  return {
    admit: (request, parent, caller) =>
      tracingEnabled()
        ? traced(parent, () => decideAdmission(limiter, request, caller))
        : decideAdmission(limiter, request, caller),
    peek: (request) => peekAdmission(limiter, request),
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
