import { startSpan } from '@sluice/service';
import { createsCompletion, principalOf, type RequestContext } from '../edge/request-context.ts';
import { admitRequest, startAdmissionCounters, type Limiter } from './admit-request.ts';
import { addRateLimitHeaders } from './rate-limit-headers.ts';

/** Charges a request to its organization, once. Throws a ServiceError if a limit refuses it. */
export type Charge = (context: RequestContext, tokens: number) => Promise<void>;

export function createCharge(limiter: Limiter): Charge {
  startAdmissionCounters();
  return async (context, tokens) => {
    context.isChargeDue = false;
    const span = startSpan('gateway.admit', { parent: context.span?.context });
    const admission = { tokens, trace: span, requestId: context.id };
    const result = await admitRequest(limiter, principalOf(context), admission).catch(
      (error: unknown) => {
        span.end(error);
        throw error;
      },
    );
    const { windows, refusal, refusedBy } = result;
    // A refusal by a limit is a normal result, not an error of the span.
    span.end(windows === undefined ? refusal : undefined);
    if (windows !== undefined) {
      context.admission = { tokens, windows, refusedBy };
      addRateLimitHeaders(context.headers, windows, { tokens: createsCompletion(context) });
    }
    if (refusal !== undefined) throw refusal;
  };
}
