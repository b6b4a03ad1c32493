import type { ExplainReply } from '@sluice/rpc';
import { describe, expect, it } from 'vitest';
import { explainedRequest } from './request-items.ts';

const REQUEST: NonNullable<ExplainReply['request']> = {
  id: 'req_1',
  receivedAtMs: 1_000,
  organization: 'acme',
  project: 'web',
  credential: 'key-1',
  operation: 'chat.completions',
  model: 'm',
  stream: true,
  outcome: 'failed',
  code: 'upstream_unavailable',
  gateway: 'gateway-1',
  offers: 2,
  refusedOffers: 1,
  estimatedInputTokens: 9,
  deliveredTokens: 0,
  counted: false,
  inputTokens: 9,
  cachedTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  durationMs: 40,
  target: 'stable',
  status: 503,
};
const REPLY: ExplainReply = {
  request: REQUEST,
  attempts: [],
  freshness: null,
  limits: null,
  offers: [],
  schedulingClass: 0,
  weight: 1,
  currency: 'EUR',
};

describe('the explanation of a request', () => {
  it('has what each limit said, and each worker that was offered it, with the reason', () => {
    const { request, attempts } = explainedRequest({
      ...REPLY,
      limits: {
        tokens: 9,
        limits: [
          { name: 'requests_per_minute', limit: 60, remaining: 0 },
          { name: 'tokens_per_day', limit: 1_000, remaining: 400 },
        ],
        refusedBy: 'requests_per_minute',
        waitMs: 700,
      },
      offers: [
        {
          worker: 'default.w1',
          workerName: 'gpu-07',
          target: 'stable',
          afterMs: 2,
          tookMs: 3,
          ended: 'refused',
          reason: 'full',
        },
      ],
      attempts: [
        {
          id: 'req_1-2',
          acceptedAtMs: 1_005,
          worker: 'default.w2',
          gateway: 'gateway-1',
          organization: 'acme',
          project: 'web',
          model: 'm',
          ended: 'failed',
          reason: '',
          generatedTokens: 0,
          queuedMs: 1,
          ranMs: 30,
          workerName: 'gpu-09',
          host: '',
          runtime: '',
        },
      ],
    });
    expect(request).toMatchObject({
      status: 503,
      refused_by: 'requests_per_minute',
      wait_ms: 700,
      limits: [
        { name: 'requests_per_minute', limit: 60, remaining: 0 },
        { name: 'tokens_per_day', limit: 1_000, remaining: 400 },
      ],
      tried: [
        {
          worker: 'default.w1',
          name: 'gpu-07',
          target: 'stable',
          after_ms: 2,
          took_ms: 3,
          ended: 'refused',
          reason: 'full',
        },
      ],
    });
    expect(attempts).toMatchObject([{ worker: 'default.w2', name: 'gpu-09', reason: null }]);
  });

  it('has what the request cost, and no amount if the price was not known', () => {
    const known = explainedRequest({ ...REPLY, request: { ...REQUEST, spend: '0.00012' } });
    expect(known).toMatchObject({ request: { spend: '0.00012' }, currency: 'EUR' });
    expect(explainedRequest(REPLY).request?.spend).toBeNull();
  });

  it('names no limit and no worker if a record has none', () => {
    expect(explainedRequest(REPLY).request).toMatchObject({
      refused_by: null,
      limits: [],
      tried: [],
    });
  });
});
