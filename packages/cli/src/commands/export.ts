import { stringify } from 'yaml';
import { FILE_KINDS } from '../apply/file-kinds.ts';
import { CATALOG_OPTIONS, CATALOG_OPTIONS_HELP, withCatalog } from '../catalog/connect-catalog.ts';
import { listResources, unknownFieldProblems } from '../catalog/resources.ts';
import {
  CommandFailure,
  EXIT_DONE,
  parseOptions,
  refusePositionals,
  type Command,
} from '../command.ts';

export const exportCommand: Command = {
  help: `
Usage: sluice export [OPTIONS]

Prints all entries of the catalog except API keys, as a file for 'sluice apply'.

Options:
  --json            JSON instead of YAML; 'sluice apply' accepts both
${CATALOG_OPTIONS_HELP}
`,
  run: async (parameters, context) => {
    const { values, positionals } = parseOptions(parameters, {
      json: { type: 'boolean', default: false },
      ...CATALOG_OPTIONS,
    });
    refusePositionals(positionals);
    const file = await withCatalog(values, context, async (admin) => {
      const lists: Record<string, readonly object[]> = {};
      for (const kind of FILE_KINDS) {
        const resources = await listResources(admin, kind);
        // A field that is missing from the file would be deleted when a newer command applies it.
        const [loss] = unknownFieldProblems(kind, resources);
        if (loss !== undefined) throw new CommandFailure(loss);
        lists[kind] = resources.map(({ document }) => document);
      }
      return lists;
    });
    context.print(values.json ? JSON.stringify(file) : stringify(file).trimEnd());
    return EXIT_DONE;
  },
};
