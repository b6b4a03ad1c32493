import type { ListRequestsReply } from '@sluice/rpc';

/** A request as the usage service lists it. */
export const listedRequest: ListRequestsReply['requests'][number] = {
  id: 'request1',
  receivedAtMs: Date.UTC(2027, 0, 2, 12),
  organization: 'acme',
  project: 'app',
  credential: 'key1',
  operation: 'completions',
  model: 'large',
  target: 'canary',
  stream: true,
  outcome: 'failed',
  code: 'upstream_unavailable',
  gateway: 'gateway1',
  offers: 2,
  refusedOffers: 1,
  estimatedInputTokens: 4,
  deliveredTokens: 0,
  counted: false,
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  durationMs: 200,
  status: 502,
  spend: '0.000150000001',
};
