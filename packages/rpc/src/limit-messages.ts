import type { Limits } from '@sluice/contracts';

/** Four limits as both contracts carry them: one that is absent is unlimited. */
export interface LimitsMessage {
  requestsPerMinute?: number;
  requestsPerDay?: number;
  tokensPerMinute?: number;
  tokensPerDay?: number;
}

export function limitsToMessage(limits: Limits): LimitsMessage {
  const message: LimitsMessage = {};
  if (limits.requests_per_minute !== null) message.requestsPerMinute = limits.requests_per_minute;
  if (limits.requests_per_day !== null) message.requestsPerDay = limits.requests_per_day;
  if (limits.tokens_per_minute !== null) message.tokensPerMinute = limits.tokens_per_minute;
  if (limits.tokens_per_day !== null) message.tokensPerDay = limits.tokens_per_day;
  return message;
}

export function limitsFromMessage(message: Readonly<LimitsMessage>): Limits {
  return {
    requests_per_minute: message.requestsPerMinute ?? null,
    requests_per_day: message.requestsPerDay ?? null,
    tokens_per_minute: message.tokensPerMinute ?? null,
    tokens_per_day: message.tokensPerDay ?? null,
  };
}
