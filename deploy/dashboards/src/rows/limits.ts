import { line, type PanelRow } from '../panel.ts';
import { is, isChosen, leastOf, perSecond, quantile, sumOf } from '../queries.ts';

const model = isChosen('model');

/** The limits of organizations, and whether quota can decide about them. */
export const limits: PanelRow = {
  title: 'Limits',
  panels: [
    {
      title: 'Admissions by decision',
      description:
        'Unavailable are requests that had no decision in time and got a 503: look at whether the store answers, and at how many admissions wait, both in this row.',
      unit: 'reqps',
      stacked: true,
      queries: [line('{{outcome}}', perSecond('sluice.gateway.admissions', { by: ['outcome'] }))],
    },
    {
      title: 'Refusals by limit',
      description:
        'Limits that work as they should. Who is turned away is in the ledger, not here: `sluice usage`, and `sluice limits ORGANIZATION` for what one has left. A plan that refuses everybody has a limit that is too small.',
      unit: 'reqps',
      stacked: true,
      queries: [
        line(
          '{{limit}}',
          perSecond('sluice.gateway.admissions', {
            by: ['limit'],
            where: { outcome: is('refused') },
          }),
        ),
      ],
    },
    {
      title: "Input estimate, divided by the runtime's count",
      description:
        'Should be 1. A model whose median stays at 1.2 has its prompts charged a fifth too much: divide the input_token_ratio of its catalog entry by 1.2. Below 1 more is generated from than was charged for.',
      unit: 'none',
      queries: [
        line(
          '{{model}} p10',
          quantile(0.1, 'sluice.gateway.input_estimate.ratio', { by: ['model'], where: { model } }),
        ),
        line(
          '{{model}} p50',
          quantile(0.5, 'sluice.gateway.input_estimate.ratio', { by: ['model'], where: { model } }),
        ),
        line(
          '{{model}} p90',
          quantile(0.9, 'sluice.gateway.input_estimate.ratio', { by: ['model'], where: { model } }),
        ),
      ],
    },
    {
      title: 'Whether the store answers',
      description:
        "1 for each quota replica while Redis answers it. At 0 every request is refused with rate_limit_unavailable, or in a cluster those of the masters that do not answer: see SluiceLimiterStoreUnusable in docs/operations/alerts.md. One replica alone at 0 is that replica's way to Redis.",
      unit: 'bool_on_off',
      queries: [line('{{instance}}', leastOf('sluice.quota.store.usable', { by: ['instance'] }))],
    },
    {
      title: 'Calls that the store failed',
      description:
        'About store: Redis was too slow or gone, within REDIS_DEADLINE_MS. About key: the state of one organization cannot be read, or nobody serves its slot, which fails for it alone; the log of quota names the reason.',
      unit: 'ops',
      queries: [
        line('about {{about}}', perSecond('sluice.quota.store.failures', { by: ['about'] })),
      ],
    },
    {
      title: 'Decisions of each replica, and those that wait',
      description:
        'Gateways give each organization to one replica, so a very large organization makes one replica busier. Waiting ones that stay above 0 mean that a replica or Redis has no processor time left.',
      unit: 'short',
      queries: [
        line(
          '{{instance}} {{outcome}} a second',
          perSecond('sluice.quota.decisions', { by: ['instance', 'outcome'] }),
        ),
        line('{{instance}} waiting', sumOf('sluice.quota.unanswered', { by: ['instance'] })),
      ],
    },
  ],
};
