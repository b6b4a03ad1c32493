import {
  LIMIT_NAMES,
  ServiceError,
  type AdmissionDecision,
  type AdmissionRequest,
  type LimitName,
  type LimitWindows,
} from '@sluice/contracts';
import { count, initCounters, type TraceSpan } from '@sluice/service';
import type { Principal } from '../access/principal.ts';

/** Decides whether an organization may make a request with this many tokens now. The promise never rejects. */
export interface Limiter {
  admit(request: AdmissionRequest, trace?: TraceSpan): Promise<AdmissionDecision>;
}

export interface AdmissionResult {
  /** Undefined if quota gave no decision. */
  readonly windows: LimitWindows | undefined;
  /** Set if the request is refused. */
  readonly refusal: ServiceError | undefined;
  /** The limit that refuses the request, and the time after which it would admit it. */
  readonly refusedBy?: { readonly limit: LimitName; readonly waitMs: number };
}

export interface ChargedRequest {
  readonly tokens: number;
  readonly requestId: string;
  readonly trace?: TraceSpan;
}

const MINUTE_MS = 60_000;

/** Starts a counter at 0 for every possible decision. */
export function startAdmissionCounters(): void {
  const decisions: readonly DecisionCount[] = [
    { outcome: 'admitted', limit: 'none' },
    { outcome: 'unavailable', limit: 'none' },
    ...LIMIT_NAMES.map((limit) => ({ outcome: 'refused' as const, limit })),
  ];
  initCounters('sluice.gateway.admissions', decisions);
}

interface DecisionCount {
  readonly outcome: AdmissionDecision['outcome'];
  readonly limit: LimitName | 'none';
}

/** Charges one request and its tokens, once. */
export async function admitRequest(
  limiter: Limiter,
  principal: Principal,
  { tokens, trace, requestId }: ChargedRequest,
): Promise<AdmissionResult> {
  const request: AdmissionRequest = {
    organization: principal.organization,
    limits: principal.limits,
    revision: principal.limitsRevision,
    requests: 1,
    tokens,
    requestId,
  };
  const decision = await limiter.admit(request, trace);
  count('sluice.gateway.admissions', {
    outcome: decision.outcome,
    limit: decision.outcome === 'refused' ? decision.refusedBy : 'none',
  });
  switch (decision.outcome) {
    case 'admitted':
      return { windows: decision.windows, refusal: undefined };
    case 'refused':
      return {
        windows: decision.windows,
        refusal: rateLimitExceeded(decision, tokens),
        refusedBy: { limit: decision.refusedBy, waitMs: decision.waitMs },
      };
    case 'unavailable':
      return {
        windows: undefined,
        refusal: new ServiceError(
          'rate_limit_unavailable',
          'Rate limiting is temporarily unavailable. Please retry.',
          { retryable: true },
        ),
      };
  }
}

type Refusal = Extract<AdmissionDecision, { outcome: 'refused' }>;

function rateLimitExceeded(refusal: Refusal, tokens: number): ServiceError {
  const retryAfterMs = refusal.exceedsCapacity ? MINUTE_MS : refusal.waitMs;
  return new ServiceError('rate_limit_exceeded', messageOf(refusal, tokens), {
    retryAfterMs,
    // A client should retry only if a wait of at most a minute helps. Minute limits always qualify: their wait exceeds
    // a minute only after the clock of the store was set back.
    retryable: !refusal.exceedsCapacity && (isMinuteLimit(refusal) || refusal.waitMs <= MINUTE_MS),
  });
}

function isMinuteLimit({ refusedBy }: Refusal): boolean {
  return LIMIT_TEXTS[refusedBy].period === 'minute';
}

interface LimitText {
  readonly unit: 'requests' | 'tokens';
  readonly period: 'minute' | 'day';
}

const LIMIT_TEXTS: Readonly<Record<LimitName, LimitText>> = {
  requests_per_minute: { unit: 'requests', period: 'minute' },
  requests_per_day: { unit: 'requests', period: 'day' },
  tokens_per_minute: { unit: 'tokens', period: 'minute' },
  tokens_per_day: { unit: 'tokens', period: 'day' },
};

/** Messages about minute limits avoid words that some clients treat as a permanent refusal (quota, billing). */
function messageOf(
  { refusedBy, windows, waitMs, exceedsCapacity }: Refusal,
  tokens: number,
): string {
  const { unit, period } = LIMIT_TEXTS[refusedBy];
  const limit = windows[refusedBy]?.limit ?? 0;
  const resets = period === 'day' ? ' The limit resets at 00:00 UTC' : '';
  if (exceedsCapacity) {
    const requested = unit === 'tokens' ? tokens : 1;
    const tooLarge = `Request too large: the limit is ${limit} ${unit} per ${period}, requested ${requested}.`;
    // Every message about a day limit says when the limit resets, even if the request will not fit then either.
    return resets === '' ? tooLarge : `${tooLarge}${resets}, and is too small for it on any day.`;
  }
  const reached = `Rate limit reached: ${limit} ${unit} per ${period}.`;
  const seconds = Math.ceil(waitMs / 1_000);
  return resets === ''
    ? `${reached} Please retry in ${seconds} seconds.`
    : `${reached}${resets}, in ${seconds} seconds.`;
}
