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
        'unavailable: there was no decision in time, and the client got a 503. Check whether the store answers and how many admissions wait; both panels are in this row.',
      unit: 'reqps',
      stacked: true,
      queries: [line('{{outcome}}', perSecond('sluice.gateway.admissions', { by: ['outcome'] }))],
    },
    {
      title: 'Refusals by limit',
      description:
        'These refusals are normal. `sluice usage` shows from the ledger which organizations were refused, and `sluice limits ORGANIZATION` what is left of their limits. If a plan refuses most of its organizations, its limit is too small.',
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
        'Should be 1. If the median of a model stays at 1.2, its prompts are charged 20% too much: divide the input_token_ratio of its catalog entry by 1.2. Below 1, prompts are charged too little.',
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
      title: 'Quota replicas whose store answers',
      description:
        '1 for each quota replica while Redis answers it. At 0 every request is refused with rate_limit_unavailable; in a cluster, only requests of organizations whose master does not answer. See SluiceLimiterStoreUnusable in docs/operations/alerts.md. If only one replica is at 0, check its network path to Redis.',
      unit: 'bool_on_off',
      queries: [line('{{instance}}', leastOf('sluice.quota.store.usable', { by: ['instance'] }))],
    },
    {
      title: 'Failed calls of the store',
      description:
        'store: Redis did not answer within REDIS_DEADLINE_MS, or was not connected. key: the state of one organization cannot be read, or its slot has no master, which affects only this organization. The log of quota names the reason.',
      unit: 'ops',
      queries: [
        line('about {{about}}', perSecond('sluice.quota.store.failures', { by: ['about'] })),
      ],
    },
    {
      title: 'Decisions of each replica, and waiting admissions',
      description:
        'Gateways ask one replica about an organization, so a very large organization makes one replica busier. If waiting admissions stay above 0, a replica or Redis does not get enough CPU.',
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
