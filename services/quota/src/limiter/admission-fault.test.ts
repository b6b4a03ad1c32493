import { MAX_AMOUNT, type AdmissionRequest } from '@sluice/contracts';
import { describe, expect, it } from 'vitest';
import { InvalidAdmissionError, faultOfAdmission } from './decide-admission.ts';

const VALID: AdmissionRequest = {
  organization: 'a'.repeat(256),
  limits: {
    requests_per_minute: 0,
    requests_per_day: MAX_AMOUNT,
    tokens_per_minute: null,
    tokens_per_day: 1,
  },
  revision: { epoch: 1_790_000_000_000, sequence: 0 },
  requests: 1,
  tokens: MAX_AMOUNT,
};

describe('an admission', () => {
  it('is accepted in the whole range in which the arithmetic is exact', () => {
    expect(faultOfAdmission(VALID)).toBeUndefined();
  });

  it.each<[string, Partial<AdmissionRequest>]>([
    ['without an organization', { organization: '' }],
    ['with an endless organization', { organization: 'a'.repeat(257) }],
    ['with a negative cost', { requests: -1 }],
    ['with a cost that is no integer', { tokens: 0.5 }],
    ['with a cost beyond exactness', { tokens: MAX_AMOUNT + 1 }],
    [
      'with a limit beyond exactness',
      { limits: { ...VALID.limits, tokens_per_day: MAX_AMOUNT + 1 } },
    ],
    ['with a limit that is no number', { limits: { ...VALID.limits, tokens_per_day: Number.NaN } }],
    ['with a revision beyond exactness', { revision: { epoch: 2 ** 53, sequence: 0 } }],
    ['with a place beyond exactness', { revision: { epoch: 0, sequence: 2 ** 53 } }],
    ['with a place before all others', { revision: { epoch: 0, sequence: -1 } }],
  ])('%s is refused', (_, fault) => {
    expect(faultOfAdmission({ ...VALID, ...fault })).toBeInstanceOf(InvalidAdmissionError);
  });
});
