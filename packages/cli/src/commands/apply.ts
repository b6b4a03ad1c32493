import { applyFile } from '../apply/apply-file.ts';
import { readResourceFile } from '../apply/read-resource-file.ts';
import { planJson, planText } from '../apply/show-plan.ts';
import { CATALOG_OPTIONS, CATALOG_OPTIONS_HELP, withCatalog } from '../catalog/connect-catalog.ts';
import {
  EXIT_DONE,
  UsageError,
  parseOptions,
  refusePositionals,
  type Command,
} from '../command.ts';
import { isDemoEntry } from '../stack/demo-catalog.ts';

export const apply: Command = {
  help: `
Usage: sluice apply -f FILE [OPTIONS]

Makes the catalog hold what a YAML file says, and shows what that changes. The
file has lists named plans, models, accounts, organizations and projects; see
deploy/examples/sluice.yaml. A list is the whole list: what is missing from it is
deleted. A list that the file leaves out is left alone, and so are API keys; in a
stack on this machine, found by --state, also what 'sluice up' makes for its demo
and would make again. Applying a file twice changes nothing more.
A list that would delete ten or more of a kind, and more than half of them, is
refused: it may have been cut short. An empty list is not: it deletes them all.

Options:
  -f, --file FILE   the file; - is standard input
  --dry-run         only show what would change
  --delete-many     the file is complete, and deleting most of a kind is meant
  --json            JSON instead of text
${CATALOG_OPTIONS_HELP}
`,
  run: async (parameters, context) => {
    const { values, positionals } = parseOptions(parameters, {
      file: { type: 'string', short: 'f' },
      'dry-run': { type: 'boolean', default: false },
      'delete-many': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      ...CATALOG_OPTIONS,
    });
    refusePositionals(positionals);
    if (values.file === undefined) throw new UsageError('name the file with -f FILE');
    const file = await readResourceFile(values.file, context.folder);
    const dryRun = values['dry-run'];
    const plan = await withCatalog(values, context, async (admin, stack) =>
      applyFile(admin, file, {
        dryRun,
        // No start makes anything again in a deployment elsewhere: there it is all the operator's.
        isKept: (kind, document) =>
          stack !== undefined && isDemoEntry(kind, document, stack.models),
        deletesMany: values['delete-many'],
        onPlan: (shown) => {
          if (!values.json) context.print(planText(shown));
        },
      }),
    );
    if (values.json) context.print(planJson(plan, dryRun));
    else if (!dryRun && plan.changes.length > 0) context.print('done');
    return EXIT_DONE;
  },
};
