import { applyFile } from '../apply/apply-file.ts';
import { readResourceFile } from '../apply/read-resource-file.ts';
import { planJson, planText } from '../apply/show-plan.ts';
import { CATALOG_OPTIONS, CATALOG_OPTIONS_HELP, withCatalog } from '../catalog/connect-catalog.ts';
import { UsageError, refusePositionals } from '../command.ts';
import { defineCommand } from '../define-command.ts';
import { FORMATS, outputHelp } from '../output/formats.ts';
import { isDemoEntry } from '../stack/demo-catalog.ts';

export const apply = defineCommand({
  help: `
Usage: sluice apply -f FILE [OPTIONS]

Changes the catalog to match a YAML file, and shows the changes. The file has the
lists plans, models, accounts, organizations and projects; see
deploy/examples/sluice.yaml.

Every list is complete: an entry that is missing from it is deleted. A list that is
not in the file is not changed, and neither are API keys. In a stack on this machine
(--state), entries that 'sluice up' would create again are not deleted. Applying the
same file again changes nothing.

A list that would delete at least ten entries, and more than half of its kind, is
refused, because the file may be truncated. An empty list deletes all entries.

Options:
  -f, --file FILE   the file; - is standard input
  --dry-run         only show what would change
  --delete-many     confirm that most entries of a kind may be deleted
${outputHelp()}
${CATALOG_OPTIONS_HELP}
`,
  options: {
    file: { type: 'string', short: 'f' },
    'dry-run': { type: 'boolean', default: false },
    'delete-many': { type: 'boolean', default: false },
    ...CATALOG_OPTIONS,
  },
  formats: FORMATS,
  run: async ({ values, positionals, format, show }, context) => {
    refusePositionals(positionals);
    if (values.file === undefined) throw new UsageError('name the file with -f FILE');
    const file = await readResourceFile(values.file, context.folder);
    const dryRun = values['dry-run'];
    const plan = await withCatalog(values, context, async (admin, stack) =>
      applyFile(admin, file, {
        dryRun,
        // Only the start of a local stack creates demo entries again. In a remote deployment nothing is kept.
        isKept: (kind, document) =>
          stack !== undefined && isDemoEntry(kind, document, stack.models),
        deletesMany: values['delete-many'],
        onPlan: (shown) => {
          if (format === 'table') context.print(planText(shown));
        },
      }),
    );
    if (format !== 'table') show({ data: planJson(plan, dryRun), text: () => planText(plan) });
    else if (!dryRun && plan.changes.length > 0) context.print('done');
  },
});
