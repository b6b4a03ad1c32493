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
        'refused: a fault of the request, or a limit of the caller (4xx). failed: a fault of the service (5xx). cancelled: the client disconnected. If cancelled rises together with the time to the first token, clients give up: see the next row. If there is no line, no request reaches a gateway: check the load balancer.',
      unit: 'reqps',
      stacked: true,
      queries: [line('{{outcome}}', perSecond('sluice.gateway.requests', { by: ['outcome'] }))],
    },
    {
      title: 'Failed requests by code',
      description:
        'Each code has a section in docs/operations/client-errors.md. infrastructure_rate_limit_exceeded: no worker has room. rate_limit_unavailable: quota or Redis. authentication_unavailable and model_availability_unavailable: the catalog. service_unavailable: NATS. upstream_unavailable: the runtimes.',
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
        'Should be 0. Above 2% for five minutes, the alert SluiceRequestsFailing fires. Requests that find no worker with room are not included; they have alerts of their own. The panel beside this one shows the codes.',
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
        'Mistakes and limits of clients, which operators need not fix. An exception is a code that rises after a change by an operator: invalid_api_key after keys were revoked or the bucket was restored, model_not_found after a file was applied. `sluice audit` shows the changes.',
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
        'In all gateways. If open requests grow and requests per second do not, answers take longer, or clients read slowly. If a gateway without traffic has open requests, its /readyz lists what it holds.',
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
        'Open connections of all gateways, idle ones included, and connections that were closed at once, per second. limit: a gateway has reached MAX_CONNECTIONS, so add gateways, or raise it. pipelining: a client sent many requests without waiting for replies, which no load balancer does.',
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
        'As the runtimes counted them. cached_input is a part of input, reasoning_output a part of output. expected_cached_input: tokens that the gateway expected in the cache of the chosen worker. If cached_input is far below it, the caches are too small for the prompts in use, or the runtime reports no cached tokens. If the shares of both fall, prompts do not return to a warm worker, because workers come and go, or one is much busier than the rest.',
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
  title: 'Durations',
  panels: [
    {
      title: 'Time to the first token of a stream',
      description:
        'If the wait for a slot, in the panel beside it, is as long, workers are missing. If that wait is short, the runtimes are slow: long prompts, a full cache, or other programs on the same GPU. Otherwise check quota and the catalog.',
      unit: 's',
      queries: percentiles((share) =>
        quantile(share, 'sluice.gateway.first_token.duration', { by: ['model'], where: { model } }),
      ),
    },
    {
      title: 'Duration of completed requests',
      description:
        'It grows with the length of answers. Compare it with tokens per second and with the time on the runtime.',
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
        'Should be near 0. If it takes seconds, jobs queue: add workers to the pool of the model, or raise SLOTS if the runtime has room. Jobs wait for at most QUEUE_TIMEOUT_MS (30 s) and are then refused with a 503.',
      unit: 's',
      queries: percentiles((share) =>
        quantile(share, 'sluice.worker.queue.duration', { by: ['model'], where: { model } }),
      ),
    },
    {
      title: 'Time on the runtime',
      description:
        'How long finished attempts held a slot. If it grows while the number of tokens does not, the runtime has become slower. Check its own metrics, its cache use below, and whether other clients use it.',
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
