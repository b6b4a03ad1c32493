import type { ExplainReply } from '@sluice/rpc';
import { expect, test } from 'vitest';
import { listedRequest as request } from './listed-request-fixture.ts';
import { explainedText } from './show-explained.ts';

const NOON = Date.UTC(2027, 0, 2, 12);

const attempt: ExplainReply['attempts'][number] = {
  id: 'request1-1',
  acceptedAtMs: NOON + 5,
  worker: 'default.w_1',
  gateway: 'gateway1',
  organization: 'acme',
  project: 'app',
  model: 'large',
  ended: 'failed',
  reason: 'stalled',
  generatedTokens: 1_200,
  queuedMs: 3,
  ranMs: 90,
};

test('a failed request is shown with its attempts and the page that helps', () => {
  expect(explainedText({ request, attempts: [attempt], freshness: null, currency: 'EUR' })).toBe(
    [
      'request          request1',
      'received         2027-01-02 12:00:00.000 UTC',
      'organization     acme',
      'project          app',
      'key              key1',
      'operation        completions',
      'model            large',
      'target           canary',
      'outcome          failed',
      'error code       upstream_unavailable',
      'duration         200 ms',
      'gateway          gateway1',
      'offers           2, 1 of them refused',
      'tokens           0 in (0 cached), 0 out (0 reasoning), as estimated',
      'estimated input  4',
      'delivered        0',
      'spend            0.000150000001 EUR',
      '',
      'ATTEMPT  ACCEPTED          WORKER       ENDED   REASON   QUEUED    RAN  TOKENS',
      '1        12:00:00.005 UTC  default.w_1  failed  stalled    3 ms  90 ms    1200',
      '',
      'What upstream_unavailable means: docs/errors.md',
    ].join('\n'),
  );
});

test('attempts whose request has not ended are shown alone', () => {
  const text = explainedText({
    request: null,
    attempts: [attempt],
    freshness: null,
    currency: 'EUR',
  });
  expect(text).toMatch(/^request +request1$/m);
  expect(text).toMatch(/^outcome +not known: its gateway has not ended it yet, or died$/m);
  expect(text).not.toMatch(/^key/m);
});
