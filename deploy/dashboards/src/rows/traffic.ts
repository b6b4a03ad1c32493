import { line, type PanelRow } from '../panel.ts';
import { is, isChosen, perSecond, quantile, shareOf, sumOf } from '../queries.ts';

const model = isChosen('model');

const percentiles = (measured: (share: number) => string) => [
  line('{{model}} p50', measured(0.5)),
  line('{{model}} p95', measured(0.95)),
  line('{{model}} p99', measured(0.99)),
];

/** What clients see. */
export const traffic: PanelRow = {
  title: 'Clients',
  panels: [
    {
      title: 'Requests by outcome',
      description:
        "Refused is the request's own fault or the caller's limits (4xx), failed is ours (5xx), cancelled is a client that left. A rise of cancelled with a slow first token means that clients give up: look at the next row. No line at all means that no gateway is reached: look at what stands in front of them.",
      unit: 'reqps',
      stacked: true,
      queries: [line('{{outcome}}', perSecond('sluice.gateway.requests', { by: ['outcome'] }))],
    },
    {
      title: 'Failed requests by code',
      description:
        'Each code has its section in docs/operations/client-errors.md: infrastructure_rate_limit_exceeded is a want of workers, rate_limit_unavailable the limiter or Redis, authentication_unavailable and model_availability_unavailable the catalog, service_unavailable the bus, upstream_unavailable the runtimes.',
      unit: 'reqps',
      stacked: true,
      queries: [
        line(
          '{{code}}',
          perSecond('sluice.gateway.requests', { by: ['code'], where: { outcome: is('failed') } }),
        ),
      ],
    },
    {
      title: 'Share of requests that fail',
      description:
        'Should be 0. Above 2% for five minutes the alert SluiceRequestsFailing fires, want of workers left out, which has alerts of its own. The panel beside this one says which code it is.',
      unit: 'percentunit',
      queries: [
        line(
          'failed',
          shareOf(
            perSecond('sluice.gateway.requests', { where: { outcome: is('failed') } }),
            perSecond('sluice.gateway.requests'),
          ),
        ),
      ],
    },
    {
      title: 'Refused requests by code',
      description:
        'Mistakes and limits of clients; nothing here is ours to mend. Much of one code after a change of ours is: invalid_api_key after keys were revoked or a store was restored, model_not_found after a file was applied. `sluice audit` says who changed what.',
      unit: 'reqps',
      stacked: true,
      queries: [
        line(
          '{{code}}',
          perSecond('sluice.gateway.requests', { by: ['code'], where: { outcome: is('refused') } }),
        ),
      ],
    },
    {
      title: 'Open requests, streams and jobs',
      description:
        'What is under way in all gateways. Open requests that grow while requests a second do not: answers take longer, or clients read slowly. A gateway that should be at rest and is not has its holdings at /readyz.',
      unit: 'short',
      queries: [
        line('requests', sumOf('sluice.gateway.open_requests')),
        line('streams', sumOf('sluice.gateway.open_streams')),
        line('jobs', sumOf('sluice.gateway.running_jobs')),
      ],
    },
    {
      title: 'Connections of clients',
      description:
        'Open ones, idle ones included, in all gateways, and those that were closed at once in a second. limit: a gateway has MAX_CONNECTIONS, so add gateways, or raise it. pipelining: a client sent many requests without waiting for replies, which no load balancer does.',
      unit: 'short',
      queries: [
        line('open', sumOf('sluice.gateway.open_connections')),
        line(
          'dropped a second: {{reason}}',
          perSecond('sluice.gateway.dropped_connections', { by: ['reason'] }),
        ),
      ],
    },
    {
      title: 'Tokens of finished answers',
      description:
        'As the runtimes counted them; cached_input is a part of input, reasoning_output of output. expected_cached_input are the tokens that the gateway expected in the cache of the worker that it chose. If cached_input is far below, the caches are too small for the prompts in use, or the runtime reports no cached tokens. A falling share of both means that prompts do not get back to a warm worker: workers that come and go, or one that is much busier than the rest.',
      unit: 'tokens/s',
      queries: [
        line(
          '{{model}} {{kind}}',
          perSecond('sluice.gateway.tokens', { by: ['model', 'kind'], where: { model } }),
        ),
      ],
    },
  ],
};

/** Where the time of a request goes. */
export const durations: PanelRow = {
  title: 'How long it takes',
  panels: [
    {
      title: 'To the first token of a stream',
      description:
        'What people feel. If the wait for a slot beside it is as long, workers are missing. If it is short, the runtimes are slow: long prompts, a full cache, or others on the same GPU. Neither: look at the limiter and the catalog.',
      unit: 's',
      queries: percentiles((share) =>
        quantile(share, 'sluice.gateway.first_token.duration', { by: ['model'], where: { model } }),
      ),
    },
    {
      title: 'Whole requests that completed',
      description:
        'Grows with the length of answers, so a change alone says little: compare it with tokens a second and with the time on the runtime.',
      unit: 's',
      queries: percentiles((share) =>
        quantile(share, 'sluice.gateway.request.duration', {
          by: ['model'],
          where: { operation: is('completions'), outcome: is('completed'), model },
        }),
      ),
    },
    {
      title: 'Wait for a slot',
      description:
        "Should be near 0. Seconds of it are a queue: add workers of the model's pool, or raise SLOTS where the runtime has room. Jobs wait QUEUE_TIMEOUT_MS at most (30 s) and are then refused with a 503.",
      unit: 's',
      queries: percentiles((share) =>
        quantile(share, 'sluice.worker.queue.duration', { by: ['model'], where: { model } }),
      ),
    },
    {
      title: 'On the runtime',
      description:
        'How long finished attempts held a slot. Longer at the same number of tokens: the runtime is slower than it was. Look at its own metrics, at its cache use below, and for others who use it.',
      unit: 's',
      queries: percentiles((share) =>
        quantile(share, 'sluice.worker.run.duration', {
          by: ['model'],
          where: { end: is('finished'), model },
        }),
      ),
    },
  ],
};
