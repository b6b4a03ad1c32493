import type { AdmissionDecision, AdmissionRequest, LimitWindows, Limits } from '@sluice/contracts';
import * as fc from 'fast-check';
import { limitsToMessage } from '../../src/messages.ts';
import type { SentAdmission } from '../../src/wire/admission-messages.ts';
import type { DecisionBatch, NumberedDecision } from '../../src/wire/decision-messages.ts';

/** Arbitrary messages of the quota service, and the same messages as a library reads them by the contract file. */

const amount = fc.oneof(fc.constantFrom(0, 1, 100_000_000_000), fc.maxSafeNat());
const id = fc.oneof(fc.constantFrom(0, 127, 128, 2 ** 32 - 1), fc.nat());
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ minLength: 120, maxLength: 300 }));

const limits: fc.Arbitrary<Limits> = fc.record({
  requests_per_minute: fc.option(amount),
  requests_per_day: fc.option(amount),
  tokens_per_minute: fc.option(amount),
  tokens_per_day: fc.option(amount),
});

const request: fc.Arbitrary<AdmissionRequest> = fc.record(
  {
    organization: text.filter((name) => name !== ''),
    limits,
    revision: fc.record({ epoch: amount, sequence: amount }),
    requests: amount,
    tokens: amount,
    requestId: text,
  },
  { requiredKeys: ['organization', 'limits', 'revision', 'requests', 'tokens'] },
);

export const admission: fc.Arbitrary<SentAdmission> = fc.record({ id, request, traceparent: text });
export const admissions = fc.array(admission);

const window = fc.option(fc.record({ limit: amount, remaining: amount, resetMs: amount }));
const windows: fc.Arbitrary<LimitWindows> = fc.record({
  requests_per_minute: window,
  requests_per_day: window,
  tokens_per_minute: window,
  tokens_per_day: window,
});

const decision: fc.Arbitrary<AdmissionDecision> = fc.oneof(
  fc.constant({ outcome: 'unavailable' } as const),
  fc.record({ outcome: fc.constant('admitted' as const), windows, decidedAtMs: amount }),
  fc.record({
    outcome: fc.constant('refused' as const),
    windows,
    decidedAtMs: amount,
    refusedBy: fc.constantFrom(
      'requests_per_minute' as const,
      'requests_per_day' as const,
      'tokens_per_minute' as const,
      'tokens_per_day' as const,
    ),
    waitMs: amount,
    exceedsCapacity: fc.boolean(),
  }),
);

export const numberedDecision: fc.Arbitrary<NumberedDecision> = fc.record({ id, decision });
export const batch: fc.Arbitrary<DecisionBatch> = fc.record({
  decisions: fc.array(numberedDecision),
  draining: fc.boolean(),
});

const OUTCOMES = {
  unavailable: 'OUTCOME_UNAVAILABLE',
  admitted: 'OUTCOME_ADMITTED',
  refused: 'OUTCOME_REFUSED',
} as const;

const NAMES = {
  requests_per_minute: 'LIMIT_NAME_REQUESTS_PER_MINUTE',
  requests_per_day: 'LIMIT_NAME_REQUESTS_PER_DAY',
  tokens_per_minute: 'LIMIT_NAME_TOKENS_PER_MINUTE',
  tokens_per_day: 'LIMIT_NAME_TOKENS_PER_DAY',
} as const;

export function admissionAsMessage({ id: number, request: sent, traceparent }: SentAdmission) {
  return { ...sent, id: number, traceparent, limits: limitsToMessage(sent.limits) };
}

export function decisionAsMessage({ id: number, decision: made }: NumberedDecision) {
  const refusal = made.outcome === 'refused' ? made : undefined;
  const state = made.outcome === 'unavailable' ? undefined : made;
  return {
    id: number,
    outcome: OUTCOMES[made.outcome],
    refusedBy: refusal === undefined ? ('LIMIT_NAME_NONE' as const) : NAMES[refusal.refusedBy],
    waitMs: refusal?.waitMs ?? 0,
    exceedsCapacity: refusal?.exceedsCapacity ?? false,
    requestsPerMinute: state?.windows.requests_per_minute ?? null,
    requestsPerDay: state?.windows.requests_per_day ?? null,
    tokensPerMinute: state?.windows.tokens_per_minute ?? null,
    tokensPerDay: state?.windows.tokens_per_day ?? null,
    decidedAtMs: state?.decidedAtMs ?? 0,
  };
}

/** An admission as a replica receives it. */
export function received({ id: number, request: sent, traceparent }: SentAdmission) {
  const { requestId = '', ...decided } = sent;
  return { id: number, request: decided, traceparent, requestId };
}

/** One field of each type, with unused field numbers. */
export const UNKNOWN = Buffer.concat([
  Buffer.from([0xf8, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]),
  Buffer.from([0xf9, 0x01, 1, 2, 3, 4, 5, 6, 7, 8]),
  Buffer.from([0xfa, 0x01, 3, 0x61, 0x62, 0x63]),
  Buffer.from([0xfd, 0x01, 1, 2, 3, 4]),
]);
