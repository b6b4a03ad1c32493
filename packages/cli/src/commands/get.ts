import { RESOURCE_KINDS, type ResourceKind, type ResourceOf } from '@sluice/contracts';
import {
  CATALOG_OPTIONS,
  CATALOG_OPTIONS_HELP,
  withCatalog,
  type CatalogOptions,
} from '../catalog/connect-catalog.ts';
import { readKind } from '../catalog/kinds.ts';
import { resourceTable } from '../catalog/resource-tables.ts';
import { findResource, listResources } from '../catalog/resources.ts';
import { CommandFailure, UsageError, type CommandContext } from '../command.ts';
import { defineCommand } from '../define-command.ts';
import { LIST_FORMATS, outputHelp, type Shown } from '../output/formats.ts';

export const get = defineCommand({
  help: `
Usage: sluice get KIND [ID] [OPTIONS]

Shows entries of the catalog: all entries of a kind as a table, or one as YAML.
Kinds: plans, models, accounts, organizations, projects, api_keys.

Options:
${outputHelp(LIST_FORMATS)}
${CATALOG_OPTIONS_HELP}
`,
  options: CATALOG_OPTIONS,
  formats: LIST_FORMATS,
  words: [{ words: RESOURCE_KINDS }, { idOf: 'kind before' }],
  run: async ({ values, positionals, show }, context) => {
    const [kind, id, ...more] = positionals;
    if (kind === undefined) throw new UsageError('name a kind, such as plans');
    if (more.length > 0) throw new UsageError(`it takes one id, not '${more.join(' ')}' too`);
    show(await entries(readKind(kind), id, values, context));
  },
});

/** All entries of a kind, or the one with this id. */
export async function entries(
  kind: ResourceKind,
  id: string | undefined,
  options: CatalogOptions,
  context: CommandContext,
): Promise<Shown> {
  return withCatalog(options, context, async (admin) => {
    if (id === undefined) {
      const documents = (await listResources(admin, kind)).map(({ document }) => document);
      return {
        data: documents.map(withoutDigest),
        text: (screen) => resourceTable(kind, documents, screen),
      };
    }
    const found = await findResource(admin, kind, id);
    if (found === undefined) {
      throw new CommandFailure(`there is no ${id} among ${kind}; 'sluice get ${kind}' lists them`);
    }
    return { data: withoutDigest(found.document) };
  });
}

/** Removes the digest of an API key: it has no use for operators and should not be shown. */
function withoutDigest(document: ResourceOf<ResourceKind>): object {
  if (!('sha256' in document)) return document;
  const { sha256: _digest, ...rest } = document;
  return rest;
}
