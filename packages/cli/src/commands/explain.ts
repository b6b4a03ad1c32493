import { EXIT_DONE, UsageError, parseOptions, type Command } from '../command.ts';
import { harmlessText } from '../harmless-text.ts';
import { USAGE_OPTIONS, USAGE_OPTIONS_HELP, withUsage } from '../usage-service/connect-usage.ts';
import { explainedText } from '../usage-service/show-explained.ts';

export const explain: Command = {
  help: `
Usage: sluice explain REQUEST_ID [OPTIONS]

Shows what became of a request: who sent it, how it ended, each attempt of a
worker at it, and its tokens. The id is in the header x-request-id of the reply.
A request is known some seconds after it has ended. Prompts and answers are not
recorded.

Options:
  --json            JSON instead of text
${USAGE_OPTIONS_HELP}
`,
  run: async (parameters, context) => {
    const { values, positionals } = parseOptions(parameters, {
      json: { type: 'boolean', default: false },
      ...USAGE_OPTIONS,
    });
    const [id, ...more] = positionals;
    if (id === undefined || more.length > 0) throw new UsageError('name one request');
    const reply = await withUsage(values, context, (usage) => usage.explain({ id }));
    context.print(values.json ? JSON.stringify(reply) : harmlessText(explainedText(reply)));
    return EXIT_DONE;
  },
};
