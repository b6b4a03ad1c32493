import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  admission,
  admissionAsMessage,
  admissions,
  batch,
  decisionAsMessage,
  numberedDecision,
  received,
} from '../../tests/support/any-quota-message.ts';
import { limitsFromMessage } from '../messages.ts';
import { quotaProtos } from '../protos.ts';
import { QUOTA_SERVICE } from '../quota-service.ts';
import {
  decodeAdmission,
  decodeAdmissions,
  encodeAdmission,
  encodeAdmissions,
} from './admission-messages.ts';
import {
  decodeDecision,
  decodeDecisionBatch,
  encodeDecision,
  encodeDecisionBatch,
} from './decision-messages.ts';

/** The contract file read by a library, independent of the code under test. */
const protos = quotaProtos();
const { Admit, Peek } = protos.Quota.service;

describe('the contract', () => {
  it('has these methods at these paths', () => {
    const shape = (
      methods: Record<string, { path: string; requestStream: boolean; responseStream: boolean }>,
    ) =>
      Object.entries(methods).map(([name, { path, requestStream, responseStream }]) => ({
        name,
        path,
        requestStream,
        responseStream,
      }));
    expect(shape(QUOTA_SERVICE)).toStrictEqual(shape(protos.Quota.service));
  });

  it.each([
    ['AdmissionBatch', 'admissions'],
    ['Admission', 'id organization limits revision requests tokens traceparent requestId'],
    ['Limits', 'requestsPerMinute requestsPerDay tokensPerMinute tokensPerDay'],
    ['Revision', 'epoch sequence'],
    ['DecisionBatch', 'decisions draining'],
    [
      'Decision',
      'id outcome refusedBy waitMs exceedsCapacity requestsPerMinute requestsPerDay tokensPerMinute tokensPerDay decidedAtMs',
    ],
    ['Window', 'limit remaining resetMs'],
  ] as const)('has no field of %s that is not written and read here', (message, fields) => {
    expect(protos[message].type).toMatchObject({
      field: fields.split(' ').map((name) => ({ name })),
    });
  });
});

describe('admissions', () => {
  it('are written as the contract says', () => {
    fc.assert(
      fc.property(admissions, (sent) => {
        const message = Admit.requestDeserialize(encodeAdmissions(sent));
        expect(message.admissions).toMatchObject(sent.map(admissionAsMessage));
        const limits = message.admissions.map((one) => limitsFromMessage(one.limits ?? {}));
        expect(limits).toEqual(sent.map(({ request }) => request.limits));
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

  it('are written and read alone as in a batch', () => {
    fc.assert(
      fc.property(admission, (sent) => {
        expect(Peek.requestDeserialize(encodeAdmission(sent))).toMatchObject(
          admissionAsMessage(sent),
        );
        const bytes = Peek.requestSerialize(admissionAsMessage(sent));
        expect(decodeAdmission(bytes)).toEqual(received(sent));
      }),
    );
  });

  it.each([127, 128, 16_383, 16_384, 40_000, 3_000_000])(
    'are written with a name of %i bytes, and the next one after it',
    (length) => {
      const [sent] = fc.sample(admission, { numRuns: 1, seed: length });
      if (sent === undefined) throw new Error('no sample was drawn');
      const long = { ...sent, request: { ...sent.request, organization: 'a'.repeat(length) } };
      for (const sentTogether of [[sent, long, sent], [sent]]) {
        const message = Admit.requestDeserialize(encodeAdmissions(sentTogether));
        expect(message.admissions).toMatchObject(sentTogether.map(admissionAsMessage));
      }
    },
  );

  it('are written by the thousands', () => {
    const many = fc.sample(admission, { numRuns: 5_000, seed: 1 });
    const message = Admit.requestDeserialize(encodeAdmissions(many));
    expect(message.admissions).toMatchObject(many.map(admissionAsMessage));
  });

  it.each([
    ['organization', { limits: {}, revision: {} }],
    ['limits', { organization: 'acme', revision: {} }],
    ['revision', { organization: 'acme', limits: {} }],
  ])('without %s cannot be decided', (_, lacking) => {
    const bytes = Admit.requestSerialize({ admissions: [{ id: 1, ...lacking }] });
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

  it('are written and read alone as in a batch', () => {
    fc.assert(
      fc.property(numberedDecision, (sent) => {
        const message = decisionAsMessage(sent);
        expect(Peek.responseDeserialize(encodeDecision(sent))).toEqual(message);
        expect(decodeDecision(Peek.responseSerialize(message))).toEqual(sent);
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
