import type { AdmissionDecision, AdmissionRequest } from '@sluice/contracts';
import { describe, expect, it } from 'vitest';
import { quotaProtos } from './protos.ts';
import {
  admissionFromMessage,
  admissionToMessage,
  decisionFromMessage,
  decisionToMessage,
} from './quota-messages.ts';

const { requestSerialize, requestDeserialize, responseSerialize, responseDeserialize } =
  quotaProtos().Quota.service.Admit;

const overTheWire = {
  admission: (request: AdmissionRequest) => {
    const bytes = requestSerialize({ admissions: [admissionToMessage(1, request, '')] });
    const [received] = requestDeserialize(bytes).admissions;
    return received === undefined ? undefined : admissionFromMessage(received);
  },
  decision: (decision: AdmissionDecision) => {
    const bytes = responseSerialize({ decisions: [decisionToMessage(1, decision)] });
    const [received] = responseDeserialize(bytes).decisions;
    return received === undefined ? undefined : decisionFromMessage(received);
  },
};

const windows = {
  requests_per_minute: { limit: 0, remaining: 0, resetMs: 0 },
  requests_per_day: { limit: 100_000_000_000, remaining: 99_999_999_999, resetMs: 86_400_000 },
  tokens_per_minute: null,
  tokens_per_day: { limit: 1, remaining: 1, resetMs: 1 },
};

describe('an admission', () => {
  it('crosses the wire unchanged, unlimited and 0 apart', () => {
    const request = {
      organization: 'acme',
      limits: {
        requests_per_minute: 0,
        requests_per_day: null,
        tokens_per_minute: 100_000_000_000,
        tokens_per_day: null,
      },
      revision: { epoch: 1_790_000_000_000, sequence: Number.MAX_SAFE_INTEGER },
      requests: 0,
      tokens: 100_000_000_000,
    };
    expect(overTheWire.admission(request)).toStrictEqual(request);
  });

  it('without limits, revision or organization is none', () => {
    const bytes = requestSerialize({ admissions: [{ id: 1, organization: 'acme' }] });
    const [received] = requestDeserialize(bytes).admissions;
    expect(received && admissionFromMessage(received)).toBeUndefined();
  });
});

describe('a decision', () => {
  it.each<AdmissionDecision>([
    { outcome: 'admitted', windows, decidedAtMs: 1_790_000_000_000 },
    {
      outcome: 'refused',
      windows,
      decidedAtMs: 1_790_000_000_000,
      refusedBy: 'tokens_per_day',
      waitMs: 86_400_000,
      exceedsCapacity: true,
    },
    { outcome: 'unavailable' },
  ])('$outcome crosses the wire unchanged', (decision) => {
    expect(overTheWire.decision(decision)).toStrictEqual(decision);
  });

  it('that refuses by no known limit is unavailable', () => {
    const bytes = responseSerialize({ decisions: [{ id: 1, outcome: 'OUTCOME_REFUSED' }] });
    const [received] = responseDeserialize(bytes).decisions;
    expect(received && decisionFromMessage(received)).toStrictEqual({ outcome: 'unavailable' });
  });
});
