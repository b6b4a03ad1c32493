import { line, type PanelRow } from '../panel.ts';
import { isChosen, perSecond, perSecondIfAny, quantile, shareOf } from '../queries.ts';

const model = isChosen('model');
const by = ['model', 'target'] as const;
/** A refused job goes to another worker, and `left` is a client that disconnected. */
const FAILED = '!~"finished|refused|left"';

/** The targets of models beside each other: a new one should be as good as the old one. */
export const targets: PanelRow = {
  title: 'Targets of models',
  panels: [
    {
      title: 'Attempts by target',
      description:
        'Jobs offered to the workers of each target. The shares should equal the weights in the catalog. If a target gets more than its weight, another one is missing or full: see the fallbacks.',
      unit: 'ops',
      stacked: true,
      queries: [
        line(
          '{{model}} {{target}}',
          perSecond('sluice.gateway.target.attempts', { by, where: { model } }),
        ),
      ],
    },
    {
      title: 'Share of attempts that fail, by target',
      description:
        'Includes failures that a retry has hidden from the client. If a new target fails more often than the old one, set its weight to 0 and read the log of its runtime.',
      unit: 'percentunit',
      queries: [
        line(
          '{{model}} {{target}}',
          shareOf(
            perSecond('sluice.gateway.target.attempts', { by, where: { model, end: FAILED } }),
            perSecond('sluice.gateway.target.attempts', { by, where: { model } }),
          ),
        ),
      ],
    },
    {
      title: 'Requests that left their target',
      description:
        'Jobs that no worker of the target took, and that another target of the model got. If there are many, the target has too few workers for its weight, or none.',
      unit: 'reqps',
      queries: [
        line(
          '{{model}} {{target}}',
          perSecondIfAny('sluice.gateway.target.fallbacks', { by, where: { model } }),
        ),
      ],
    },
    {
      title: 'Time to the first token, by target',
      description:
        'The median and the 95th percentile of streams. A target that is slower than the other one has a slower runtime, or too few slots for its weight.',
      unit: 's',
      queries: [0.5, 0.95].map((share) =>
        line(
          `{{model}} {{target}} p${share * 100}`,
          quantile(share, 'sluice.gateway.first_token.duration', { by, where: { model } }),
        ),
      ),
    },
    {
      title: 'Time between two tokens, by target',
      description:
        'The median and the 95th percentile of the mean time between the output tokens of a stream. It grows with the number of jobs on the runtime.',
      unit: 's',
      queries: [0.5, 0.95].map((share) =>
        line(
          `{{model}} {{target}} p${share * 100}`,
          quantile(share, 'sluice.gateway.output_token.duration', { by, where: { model } }),
        ),
      ),
    },
    {
      title: 'Tokens by target',
      description:
        'Tokens of finished answers, as the runtimes counted them. If the share of cached_input is smaller than that of another target, conversations have just moved to this target, or its caches are too small.',
      unit: 'tokens/s',
      queries: [
        line(
          '{{model}} {{target}} {{kind}}',
          perSecond('sluice.gateway.tokens', { by: [...by, 'kind'], where: { model } }),
        ),
      ],
    },
  ],
};
