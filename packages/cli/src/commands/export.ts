import { FILE_KINDS } from '../apply/file-kinds.ts';
import { CATALOG_OPTIONS, CATALOG_OPTIONS_HELP, withCatalog } from '../catalog/connect-catalog.ts';
import { listResources, unknownFieldProblems } from '../catalog/resources.ts';
import { CommandFailure, refusePositionals, type Format } from '../command.ts';
import { defineCommand } from '../define-command.ts';
import { outputHelp } from '../output/formats.ts';

const FORMATS: readonly Format[] = ['yaml', 'json'];

export const exportCommand = defineCommand({
  help: `
Usage: sluice export [OPTIONS]

Prints all entries of the catalog except API keys, as a file for 'sluice apply',
which accepts YAML and JSON.

Options:
${outputHelp(FORMATS)}
${CATALOG_OPTIONS_HELP}
`,
  options: CATALOG_OPTIONS,
  formats: FORMATS,
  run: async ({ values, positionals, show }, context) => {
    refusePositionals(positionals);
    const file = await withCatalog(values, context, async (admin) => {
      const lists: Record<string, readonly object[]> = {};
      for (const kind of FILE_KINDS) {
        const resources = await listResources(admin, kind);
        // A field that this version does not know would be missing from the file. If a newer version of the command then
        // applied the file, the field would be deleted.
        const [loss] = unknownFieldProblems(kind, resources);
        if (loss !== undefined) throw new CommandFailure(loss);
        lists[kind] = resources.map(({ document }) => document);
      }
      return lists;
    });
    show({ data: file });
  },
});
