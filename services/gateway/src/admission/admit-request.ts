import {
  LIMIT_NAMES,
  ServiceError,
  type AdmissionDecision,
  type AdmissionRequest,
  type LimitName,
  type LimitWindows,
} from '@sluice/contracts';
import { count, startAtZero, type TraceSpan } from '@sluice/telemetry';
import type { Principal } from './principal.ts';

/** Decides whether an organization may spend this much now. Never rejects. */
export interface Limiter {
  admit(request: AdmissionRequest, trace?: TraceSpan): Promise<AdmissionDecision>;
}

export interface AdmissionResult {
  /** Undefined when capacity cannot be reported. */
  readonly windows: LimitWindows | undefined;
  /** Why the request may not go on. */
  readonly refusal: ServiceError | undefined;
}

export interface Admission {
  readonly tokens: number;
  readonly requestId: string;
  readonly trace?: TraceSpan;
}

const MINUTE_MS = 60_000;

/** Every decision that there can be. */
export function startAdmissionCounters(): void {
  const decisions: readonly DecisionCount[] = [
    { outcome: 'admitted', limit: 'none' },
    { outcome: 'unavailable', limit: 'none' },
    ...LIMIT_NAMES.map((limit) => ({ outcome: 'refused' as const, limit })),
  ];
  startAtZero('sluice.gateway.admissions', decisions);
}

interface DecisionCount {
  readonly outcome: AdmissionDecision['outcome'];
  readonly limit: LimitName | 'none';
}

/** Charges one request and its tokens, once. */
export async function admitRequest(
  limiter: Limiter,
  principal: Principal,
  { tokens, trace, requestId }: Admission,
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
      return { windows: decision.windows, refusal: rateLimitExceeded(decision, tokens) };
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
    // What a minute's wait cannot cure is not worth a client's retries. A minute limit always is: its
    // wait is longer only while the store waits out a clock that was put back.
    retryable: !refusal.exceedsCapacity && (isOfMinute(refusal) || refusal.waitMs <= MINUTE_MS),
  });
}

function isOfMinute({ refusedBy }: Refusal): boolean {
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

/** Minute messages avoid words that some clients take for a permanent refusal. */
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
    // The reset is named because every message about a day does, and does not help here.
    return resets === '' ? tooLarge : `${tooLarge}${resets}, and is too small for it on any day.`;
  }
  const reached = `Rate limit reached: ${limit} ${unit} per ${period}.`;
  const seconds = Math.ceil(waitMs / 1_000);
  return resets === ''
    ? `${reached} Please retry in ${seconds} seconds.`
    : `${reached}${resets}, in ${seconds} seconds.`;
}
