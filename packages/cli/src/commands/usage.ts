import { UsageError, refusePositionals, wholeNumber } from '../command.ts';
import { defineCommand } from '../define-command.ts';
import { LIST_FORMATS, outputHelp } from '../output/formats.ts';
import { readPastMoment } from '../read-moment.ts';
import { suggestion } from '../suggestion.ts';
import { USAGE_OPTIONS, USAGE_OPTIONS_HELP, withUsage } from '../usage-service/connect-usage.ts';
import { usageJson, usageNotes, usageRows, usageTable } from '../usage-service/show-usage.ts';

const DEFAULT_SINCE = '24h';
const MOST_GROUPS = 10_000;

const DIMENSIONS = [
  'organization',
  'project',
  'key',
  'model',
  'target',
  'month',
  'day',
  'hour',
] as const;
const SORTS = [
  'requests',
  'completed',
  'cancelled',
  'failed',
  'refused',
  'attempts',
  'input_tokens',
  'cached_tokens',
  'output_tokens',
  'reasoning_tokens',
  'generated_tokens',
  'spend',
] as const;

export const usage = defineCommand({
  help: `
Usage: sluice usage [OPTIONS]

Sums up what was used, in whole hours: requests by outcome, tokens, and what they
cost.

  WASTED           tokens that were generated and not sent to a client, because the
                   client had disconnected, or because the attempt failed and was
                   repeated
  ESTIMATE ERROR   with --by model: how much more input the runtimes counted than was
                   charged to limits. Correct the model's input_token_ratio with it

For an answer that was not completed, the output is the tokens that were sent to the
client, and the input is the estimate.

Options:
  --by WHAT            ${DIMENSIONS.slice(0, 5).join(', ')}, ${DIMENSIONS.slice(5).join(', ')};
                       may be given twice (organization)
  --organization ID    only of this organization
  --project ID         only of this project
  --key ID             only of this API key
  --model ID           only of this model
  --since MOMENT       30m, 24h or 7d ago, or a date (UTC) such as 2027-01-31 (${DEFAULT_SINCE})
  --until MOMENT       before this time (now)
  --sort SUM           the largest first: requests, failed, output_tokens, spend and
                       other sums. Without it, by name
  --top N              the first N groups only
${outputHelp(LIST_FORMATS, { width: 23 })}
${USAGE_OPTIONS_HELP}
`,
  options: {
    by: { type: 'string', multiple: true, default: ['organization'] },
    organization: { type: 'string', default: '' },
    project: { type: 'string', default: '' },
    key: { type: 'string', default: '' },
    model: { type: 'string', default: '' },
    since: { type: 'string', default: DEFAULT_SINCE },
    until: { type: 'string' },
    sort: { type: 'string' },
    top: { type: 'string' },
    ...USAGE_OPTIONS,
  },
  formats: LIST_FORMATS,
  run: async ({ values, positionals, format, show }, context) => {
    refusePositionals(positionals);
    const { organization, project, key, model } = values;
    const by = readDimensions(values.by);
    const request = {
      by,
      organization,
      project,
      credential: key,
      model,
      sinceMs: readPastMoment(values.since),
      ...(values.until === undefined ? {} : { untilMs: readPastMoment(values.until) }),
      sort: values.sort === undefined ? '' : readWord('--sort', values.sort, SORTS),
      limit:
        values.top === undefined
          ? 0
          : wholeNumber('--top', values.top, { minimum: 1, maximum: MOST_GROUPS }),
    };
    const reply = await withUsage(values, context, (service) => service.sumUsage(request));
    const report = { by, reply };
    show({
      data: usageJson(report),
      text: (screen) => usageTable(report, screen),
      rows: usageRows(report),
    });
    if (format === 'table') for (const note of usageNotes(reply)) context.printError(note);
  },
});

function readDimensions(given: readonly string[]): string[] {
  const names = given.flatMap((text) => text.split(','));
  const by = names.map((name) => readWord('--by', name, DIMENSIONS));
  if (by.length <= 2 && new Set(by).size === by.length) return by;
  throw new UsageError('--by takes one or two different dimensions');
}

function readWord(option: string, text: string, words: readonly string[]): string {
  if (words.includes(text)) return text;
  throw new UsageError(
    `${option} must be one of ${words.join(', ')}, not '${text}'${suggestion(text, words)}`,
  );
}
