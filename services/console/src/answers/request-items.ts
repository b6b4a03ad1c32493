import type { ExplainReply, ListRequestsReply } from '@sluice/rpc';
import type * as z from 'zod';
import type { RequestItem, RequestReply } from '../api/usage.ts';
import { textOrNull } from './answers.ts';

type WireRequest = ListRequestsReply['requests'][number];

export function requestItem(request: WireRequest): z.infer<typeof RequestItem> {
  return {
    id: request.id,
    received_at_ms: request.receivedAtMs,
    project: request.project,
    credential: request.credential,
    operation: request.operation,
    model: request.model,
    stream: request.stream,
    outcome: request.outcome,
    code: textOrNull(request.code),
    input_tokens: request.inputTokens,
    cached_tokens: request.cachedTokens,
    output_tokens: request.outputTokens,
    reasoning_tokens: request.reasoningTokens,
    delivered_tokens: request.deliveredTokens,
    counted: request.counted,
    first_token_ms: request.firstTokenMs ?? null,
    duration_ms: request.durationMs,
    spend: request.spend ?? null,
  };
}

/** One request in detail: its outcome, the limits at its admission, the offers to workers, and each attempt. */
export function explainedRequest({
  request,
  attempts,
  limits,
  offers,
  currency,
}: ExplainReply): Omit<z.infer<typeof RequestReply>, 'freshness'> {
  return {
    request: request && {
      ...requestItem(request),
      gateway: request.gateway,
      target: textOrNull(request.target),
      offers: request.offers,
      refused_offers: request.refusedOffers,
      estimated_input_tokens: request.estimatedInputTokens,
      status: request.status ?? null,
      refused_by: textOrNull(limits?.refusedBy ?? ''),
      wait_ms: limits?.waitMs ?? 0,
      tried: offers.map((offer) => ({
        worker: offer.worker,
        name: offer.workerName,
        target: textOrNull(offer.target),
        after_ms: offer.afterMs,
        took_ms: offer.tookMs,
        ended: offer.ended,
        reason: textOrNull(offer.reason),
      })),
      limits: (limits?.limits ?? []).map(({ name, limit, remaining }) => ({
        name,
        limit,
        remaining,
      })),
    },
    attempts: attempts.map((attempt) => ({
      id: attempt.id,
      accepted_at_ms: attempt.acceptedAtMs,
      worker: attempt.worker,
      name: attempt.workerName,
      model: attempt.model,
      ended: attempt.ended,
      reason: textOrNull(attempt.reason),
      generated_tokens: attempt.generatedTokens,
      queued_ms: attempt.queuedMs,
      ran_ms: attempt.ranMs,
    })),
    currency: textOrNull(currency),
  };
}
