import type { AdmissionDecision, AdmissionRequest, LimitWindows, Limits } from '@sluice/contracts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limitsFromMessage, limitsToMessage } from '../limit-messages.ts';
import { quotaProtos } from '../protos.ts';
import { QUOTA_SERVICE } from '../quota-service.ts';
import { decodeAdmissions, encodeAdmissions, type SentAdmission } from './admission-messages.ts';
import {
  decodeDecisionBatch,
  encodeDecisionBatch,
  type DecisionBatch,
  type NumberedDecision,
} from './decision-messages.ts';
import { MalformedMessageError } from './wire-reader.ts';

/** The contract's own file, read by a library that knows nothing of what is tested here. */
const PROTO = quotaProtos().Quota.service;
const { Admit } = PROTO;

const amount = fc.oneof(fc.constantFrom(0, 1, 100_000_000_000), fc.maxSafeNat());
const id = fc.oneof(fc.constantFrom(0, 127, 128, 2 ** 32 - 1), fc.nat());
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ minLength: 120, maxLength: 300 }));

const limits: fc.Arbitrary<Limits> = fc.record({
  requests_per_minute: fc.option(amount),
  requests_per_day: fc.option(amount),
  tokens_per_minute: fc.option(amount),
  tokens_per_day: fc.option(amount),
});

const request: fc.Arbitrary<AdmissionRequest> = fc.record({
  organization: text.filter((name) => name !== ''),
  limits,
  revision: fc.record({ epoch: amount, sequence: amount }),
  requests: amount,
  tokens: amount,
  requestId: text,
});

const admissions: fc.Arbitrary<SentAdmission[]> = fc.array(
  fc.record({ id, request, traceparent: text }),
);

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

const batch: fc.Arbitrary<DecisionBatch> = fc.record({
  decisions: fc.array(fc.record({ id, decision })),
  draining: fc.boolean(),
});

/** What a replica has of an admission. */
function received({ id: number, request: sent, traceparent }: SentAdmission) {
  const { requestId, ...decided } = sent;
  return { id: number, request: decided, traceparent, requestId };
}

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

function admissionAsMessage({ id: number, request: sent, traceparent }: SentAdmission) {
  return { ...sent, id: number, traceparent, limits: limitsToMessage(sent.limits) };
}

function decisionAsMessage({ id: number, decision: made }: NumberedDecision) {
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

describe('the service', () => {
  it('is the one of the contract, each method at its path', () => {
    const shape = (
      methods: Record<string, { path: string; requestStream: boolean; responseStream: boolean }>,
    ) =>
      Object.entries(methods).map(([name, { path, requestStream, responseStream }]) => ({
        name,
        path,
        requestStream,
        responseStream,
      }));
    expect(shape(QUOTA_SERVICE)).toStrictEqual(shape(PROTO));
  });
});

describe('admissions', () => {
  it('are written as the contract says', () => {
    fc.assert(
      fc.property(admissions, (sent) => {
        const message = Admit.requestDeserialize(encodeAdmissions(sent));
        expect(message.admissions).toMatchObject(sent.map(admissionAsMessage));
        const limitsRead = message.admissions.map((admission) =>
          limitsFromMessage(admission.limits ?? {}),
        );
        expect(limitsRead).toEqual(sent.map(({ request: asked }) => asked.limits));
      }),
    );
  });

  it('are read as the contract says', () => {
    fc.assert(
      fc.property(admissions, (sent) => {
        const bytes = Admit.requestSerialize({ admissions: sent.map(admissionAsMessage) });
        expect(decodeAdmissions(bytes)).toEqual(sent.map(received));
      }),
    );
  });

  it.each([
    ['organization', { limits: {}, revision: {} }],
    ['limits', { organization: 'acme', revision: {} }],
    ['revision', { organization: 'acme', limits: {} }],
  ])('without %s are none that can be decided', (_, admission) => {
    const bytes = Admit.requestSerialize({ admissions: [{ id: 1, ...admission }] });
    expect(decodeAdmissions(bytes)).toMatchObject([{ id: 1, request: undefined }]);
  });
});

describe('decisions', () => {
  it('are written as the contract says', () => {
    fc.assert(
      fc.property(batch, (sent) => {
        const message = Admit.responseDeserialize(encodeDecisionBatch(sent));
        expect(message).toEqual({ ...sent, decisions: sent.decisions.map(decisionAsMessage) });
      }),
    );
  });

  it('are read as the contract says', () => {
    fc.assert(
      fc.property(batch, (sent) => {
        const decisions = sent.decisions.map(decisionAsMessage);
        const bytes = Admit.responseSerialize({ decisions, draining: sent.draining });
        expect(decodeDecisionBatch(bytes)).toEqual(sent);
      }),
    );
  });

  it('that refuse by no known limit are unavailable', () => {
    const bytes = Admit.responseSerialize({ decisions: [{ id: 1, outcome: 'OUTCOME_REFUSED' }] });
    expect(decodeDecisionBatch(bytes).decisions).toStrictEqual([
      { id: 1, decision: { outcome: 'unavailable' } },
    ]);
  });

  it('of an outcome that is not known yet are unavailable', () => {
    // decisions[0] { id: 1, outcome: 7 }
    const bytes = Buffer.from([0x0a, 0x04, 0x08, 0x01, 0x10, 0x07]);
    expect(decodeDecisionBatch(bytes).decisions).toStrictEqual([
      { id: 1, decision: { outcome: 'unavailable' } },
    ]);
  });
});

describe('a message of another version', () => {
  /** One field of each type, with numbers that this version does not know. */
  const UNKNOWN = Buffer.concat([
    Buffer.from([0xf8, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]),
    Buffer.from([0xf9, 0x01, 1, 2, 3, 4, 5, 6, 7, 8]),
    Buffer.from([0xfa, 0x01, 3, 0x61, 0x62, 0x63]),
    Buffer.from([0xfd, 0x01, 1, 2, 3, 4]),
  ]);

  it('is read without the fields that are not known', () => {
    fc.assert(
      fc.property(admissions, batch, (asked, answered) => {
        const question = Buffer.concat([UNKNOWN, encodeAdmissions(asked), UNKNOWN]);
        const answer = Buffer.concat([UNKNOWN, encodeDecisionBatch(answered), UNKNOWN]);
        expect(decodeAdmissions(question)).toEqual(asked.map(received));
        expect(decodeDecisionBatch(answer)).toEqual(answered);
      }),
    );
  });

  it('is read without unknown fields of each decision too', () => {
    const entry = Buffer.from([0x08, 0x05, ...UNKNOWN, 0x10, 0x00]);
    const bytes = Buffer.concat([Buffer.from([0x0a, entry.length]), entry]);
    expect(decodeDecisionBatch(bytes).decisions).toStrictEqual([
      { id: 5, decision: { outcome: 'unavailable' } },
    ]);
  });
});

describe('bytes that are no message', () => {
  const read = (decode: (bytes: Buffer) => unknown, bytes: Buffer): unknown => {
    try {
      return decode(bytes);
    } catch (error) {
      return error;
    }
  };

  it('are an error of their own kind, whatever they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        for (const decode of [decodeAdmissions, decodeDecisionBatch]) {
          const result = read(decode, Buffer.from(bytes));
          if (result instanceof Error) expect(result).toBeInstanceOf(MalformedMessageError);
        }
      }),
    );
  });

  it('are an error when an entry is cut off', () => {
    fc.assert(
      fc.property(batch, fc.nat(), ({ decisions }, cut) => {
        fc.pre(decisions.length > 0);
        const first = encodeDecisionBatch({ decisions: decisions.slice(0, 1), draining: false });
        const bytes = first.subarray(0, 1 + (cut % (first.length - 1)));
        expect(() => decodeDecisionBatch(bytes)).toThrow(MalformedMessageError);
      }),
    );
  });

  it('are an error when a field reaches beyond the entry it is in', () => {
    // decisions[0] of two bytes, whose id says that it goes on in a third
    const bytes = Buffer.from([0x0a, 0x02, 0x08, 0x80, 0x01]);
    expect(() => decodeDecisionBatch(bytes)).toThrow(MalformedMessageError);
  });
});
