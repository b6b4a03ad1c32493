import { UsageError } from '../command.ts';
import { defineCommand } from '../define-command.ts';
import { LIST_FORMATS, outputHelp } from '../output/formats.ts';
import { USAGE_OPTIONS, USAGE_OPTIONS_HELP, withUsage } from '../usage-service/connect-usage.ts';
import { budgetsData, budgetsText } from '../usage-service/show-budgets.ts';

const SECRET = 'secret';

export const budgets = defineCommand({
  help: `
Usage: sluice budgets [ORGANIZATION] [OPTIONS]
       sluice budgets secret ORGANIZATION URL

Shows what organizations have spent of their budgets this month (UTC), and which
are stopped. Budgets and webhooks are set with 'sluice apply'.

'secret' prints the secret with which a receiver checks that Sluice has sent a
webhook. The usage service logs who asked for it.

Options:
${outputHelp(LIST_FORMATS)}
${USAGE_OPTIONS_HELP}
`,
  options: USAGE_OPTIONS,
  formats: LIST_FORMATS,
  words: [{ words: ['secret'], idOf: 'organizations' }, { idOf: 'organizations' }],
  run: async ({ values, positionals, show }, context) => {
    const [first = '', organization, url, ...more] = positionals;
    if (first === SECRET && organization !== undefined) {
      if (url === undefined || more.length > 0) {
        throw new UsageError('name an organization and the url of one of its webhooks');
      }
      const reply = await withUsage(values, context, (usage) =>
        usage.getWebhookSecret({ organization, url }),
      );
      show({ data: { organization, url, secret: reply.secret }, text: () => reply.secret });
      return;
    }
    if (organization !== undefined) throw new UsageError('name one organization, or none');
    const reply = await withUsage(values, context, (usage) =>
      usage.listBudgets({ organization: first }),
    );
    const data = budgetsData(reply);
    show({ data, text: (screen) => budgetsText(reply, screen), rows: data.map(flat) });
  },
});

/** A row of CSV has no lists. */
function flat({ reached, ...budget }: ReturnType<typeof budgetsData>[number]) {
  return { ...budget, reached: reached.join(' ') };
}
