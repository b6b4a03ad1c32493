import { EXIT_DONE, UsageError, parseOptions, type Command } from '../command.ts';
import { harmlessText } from '../harmless-text.ts';
import { USAGE_OPTIONS, USAGE_OPTIONS_HELP, withUsage } from '../usage-service/connect-usage.ts';
import { budgetsText } from '../usage-service/show-budgets.ts';

const SECRET = 'secret';

export const budgets: Command = {
  help: `
Usage: sluice budgets [ORGANIZATION] [OPTIONS]
       sluice budgets secret ORGANIZATION URL

Shows what organizations have spent of their budgets this month (UTC), and which
are stopped. Budgets and webhooks are set with 'sluice apply'.

'secret' prints the secret with which a receiver checks that a webhook is ours.
Usage logs who asked for it.

Options:
  --json            JSON instead of a table, with exact amounts
${USAGE_OPTIONS_HELP}
`,
  run: async (parameters, context) => {
    const { values, positionals } = parseOptions(parameters, {
      json: { type: 'boolean', default: false },
      ...USAGE_OPTIONS,
    });
    const [first = '', organization, url, ...more] = positionals;
    if (first === SECRET && organization !== undefined) {
      if (url === undefined || more.length > 0) {
        throw new UsageError('name an organization and the url of one of its webhooks');
      }
      const { secret } = await withUsage(values, context, (usage) =>
        usage.getWebhookSecret({ organization, url }),
      );
      context.print(values.json ? JSON.stringify({ secret }) : secret);
      return EXIT_DONE;
    }
    if (organization !== undefined) throw new UsageError('name one organization, or none');
    const reply = await withUsage(values, context, (usage) =>
      usage.listBudgets({ organization: first }),
    );
    context.print(values.json ? JSON.stringify(reply) : harmlessText(budgetsText(reply)));
    return EXIT_DONE;
  },
};
