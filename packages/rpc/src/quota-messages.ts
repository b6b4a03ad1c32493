import type { AdmissionDecision, AdmissionRequest, LimitName } from '@sluice/contracts';
import type { Admission, AdmissionInput } from './generated/sluice/quota/v1/Admission.ts';
import type { Decision, DecisionInput } from './generated/sluice/quota/v1/Decision.ts';
import type { LimitName as WireLimitName } from './generated/sluice/quota/v1/LimitName.ts';
import { limitsFromMessage, limitsToMessage } from './limit-messages.ts';

export const UNAVAILABLE: AdmissionDecision = { outcome: 'unavailable' };

export function admissionToMessage(
  id: number,
  request: AdmissionRequest,
  traceparent: string,
): AdmissionInput {
  return {
    id,
    organization: request.organization,
    limits: limitsToMessage(request.limits),
    revision: request.revision,
    requests: request.requests,
    tokens: request.tokens,
    traceparent,
    ...(request.requestId === undefined ? {} : { requestId: request.requestId }),
  };
}

/** Undefined when it lacks what no decision can be made without. */
export function admissionFromMessage(message: Admission): AdmissionRequest | undefined {
  const { organization, limits, revision, requests, tokens } = message;
  if (organization === '' || limits === null || revision === null) return undefined;
  return { organization, limits: limitsFromMessage(limits), revision, requests, tokens };
}

const WIRE_NAMES: Readonly<Record<LimitName, WireLimitName>> = {
  requests_per_minute: 'LIMIT_NAME_REQUESTS_PER_MINUTE',
  requests_per_day: 'LIMIT_NAME_REQUESTS_PER_DAY',
  tokens_per_minute: 'LIMIT_NAME_TOKENS_PER_MINUTE',
  tokens_per_day: 'LIMIT_NAME_TOKENS_PER_DAY',
};

const LIMIT_OF_WIRE_NAME: Readonly<Record<WireLimitName, LimitName | undefined>> = {
  LIMIT_NAME_NONE: undefined,
  LIMIT_NAME_REQUESTS_PER_MINUTE: 'requests_per_minute',
  LIMIT_NAME_REQUESTS_PER_DAY: 'requests_per_day',
  LIMIT_NAME_TOKENS_PER_MINUTE: 'tokens_per_minute',
  LIMIT_NAME_TOKENS_PER_DAY: 'tokens_per_day',
};

export function decisionToMessage(id: number, decision: AdmissionDecision): DecisionInput {
  if (decision.outcome === 'unavailable') return { id, outcome: 'OUTCOME_UNAVAILABLE' };
  const { windows, decidedAtMs } = decision;
  const state = {
    id,
    requestsPerMinute: windows.requests_per_minute,
    requestsPerDay: windows.requests_per_day,
    tokensPerMinute: windows.tokens_per_minute,
    tokensPerDay: windows.tokens_per_day,
    decidedAtMs,
  };
  if (decision.outcome === 'admitted') return { ...state, outcome: 'OUTCOME_ADMITTED' };
  return {
    ...state,
    outcome: 'OUTCOME_REFUSED',
    refusedBy: WIRE_NAMES[decision.refusedBy],
    waitMs: decision.waitMs,
    exceedsCapacity: decision.exceedsCapacity,
  };
}

/** Whatever a reader cannot make sense of, an outcome of a later version included, is `unavailable`. */
export function decisionFromMessage(message: Decision): AdmissionDecision {
  const windows = {
    requests_per_minute: message.requestsPerMinute,
    requests_per_day: message.requestsPerDay,
    tokens_per_minute: message.tokensPerMinute,
    tokens_per_day: message.tokensPerDay,
  };
  const { decidedAtMs } = message;
  if (message.outcome === 'OUTCOME_ADMITTED') return { outcome: 'admitted', windows, decidedAtMs };
  const refusedBy = LIMIT_OF_WIRE_NAME[message.refusedBy];
  if (message.outcome !== 'OUTCOME_REFUSED' || refusedBy === undefined) return UNAVAILABLE;
  return {
    outcome: 'refused',
    windows,
    decidedAtMs,
    refusedBy,
    waitMs: message.waitMs,
    exceedsCapacity: message.exceedsCapacity,
  };
}
