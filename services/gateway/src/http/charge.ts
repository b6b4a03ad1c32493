import { startSpan } from '@sluice/telemetry';
import { admitRequest, startAdmissionCounters, type Limiter } from '../domain/admit-request.ts';
import { createsCompletion, principalOf, type Exchange } from './exchange.ts';
import { addRateLimitHeaders } from './rate-limit-headers.ts';

/**
 * Charges a request to its organization, once. Throws a ServiceError if a limit refuses it, and the reason if it was
 * given up meanwhile.
 */
export type Charge = (exchange: Exchange, tokens: number) => Promise<void>;

export function createCharge(limiter: Limiter): Charge {
  startAdmissionCounters();
  return async (exchange, tokens) => {
    exchange.isChargeDue = false;
    const span = startSpan('gateway.admit', { parent: exchange.span?.context });
    const admission = { tokens, trace: span, requestId: exchange.id };
    const { windows, refusal } = await admitRequest(
      limiter,
      principalOf(exchange),
      admission,
    ).catch((error: unknown) => {
      span.end(error);
      throw error;
    });
    // A limit that refuses does what it is for.
    span.end(windows === undefined ? refusal : undefined);
    if (windows !== undefined) {
      addRateLimitHeaders(exchange.headers, windows, { tokens: createsCompletion(exchange) });
    }
    if (refusal !== undefined) throw refusal;
    exchange.abandoned.throwIfAborted();
  };
}
