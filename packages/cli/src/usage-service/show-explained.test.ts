import type { ExplainReply } from '@sluice/rpc';
import { expect, test } from 'vitest';
import { listedRequest as request } from './listed-request-fixture.ts';
import { explainedText, type Explained } from './show-explained.ts';

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
  workerName: 'gpu-2',
  host: 'machine-2',
  runtime: '127.0.0.1:8000',
};

const explained: Explained = {
  request,
  attempts: [{ ...attempt, id: 'request1-2' }],
  offers: [
    {
      worker: 'default.w_1',
      workerName: 'gpu-1',
      target: 'own',
      afterMs: 2,
      tookMs: 1,
      ended: 'refused',
      reason: 'full',
    },
  ],
  limits: {
    tokens: 4,
    limits: [
      { name: 'requests_per_minute', limit: 60, remaining: 59 },
      { name: 'tokens_per_day', limit: 9_000, remaining: 3 },
    ],
    refusedBy: 'tokens_per_day',
    waitMs: 900,
  },
  schedulingClass: -1,
  weight: 2.5,
  freshness: null,
  currency: 'EUR',
  keyName: 'laptop',
};

test('a failed request is shown with its limits, offers, attempts and the page about its error', () => {
  expect(explainedText(explained)).toBe(
    [
      'request       request1',
      'received      2027-01-02 12:00:00.000 UTC',
      'organization  acme',
      'project       app',
      'key           laptop (key1)',
      'operation     completions',
      'model         large',
      'target        canary',
      'outcome       failed',
      'status        502',
      'error code    upstream_unavailable',
      'gateway       gateway1',
      'scheduling    class -1, weight 2.5',
      'limits        cost: 1 request, 4 tokens',
      '              requests_per_minute: 59 of 60 left',
      '              tokens_per_day: 3 of 9000 left, refused it for 900 ms',
      'in queues     3 ms',
      'duration      200 ms',
      'tokens        4 in, as estimated for the limits',
      '              0 in (0 cached), as estimated',
      '              0 out (0 reasoning)',
      '              0 delivered',
      'spend         0.000150000001 EUR',
      'attempt 1     gpu-1',
      '              offered after 2 ms; for the gateway, refused: full 1 ms later',
      'attempt 2     gpu-2',
      '              host machine-2',
      '              runtime 127.0.0.1:8000',
      '              failed: stalled',
      '              queued 3 ms, ran 90 ms, 1200 tokens',
      '',
      'What upstream_unavailable means, and what to do: docs/operations/client-errors.md#502-upstream_unavailable',
    ].join('\n'),
  );
});

test('the attempts of a request that has not ended are shown without a request', () => {
  const alone = { ...explained, request: null, attempts: [attempt], offers: [], limits: null };
  const text = explainedText(alone);
  expect(text).toMatch(/^request +request1$/m);
  expect(text).toMatch(/^outcome +not known: the request is still running, or its gateway died$/m);
  expect(text).not.toMatch(/^key/m);
});
