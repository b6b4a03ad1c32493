import type { ResourceKind, ResourceOf } from '@sluice/contracts';
import type { CatalogAdminClient } from '@sluice/rpc';
import { stringify } from 'yaml';
import {
  CATALOG_OPTIONS,
  CATALOG_OPTIONS_HELP,
  withCatalog,
  type CatalogOptions,
} from '../catalog/connect-catalog.ts';
import { readKind } from '../catalog/kinds.ts';
import { resourceTable } from '../catalog/resource-tables.ts';
import { findResource, listResources } from '../catalog/resources.ts';
import {
  CommandFailure,
  EXIT_DONE,
  UsageError,
  parseOptions,
  type Command,
  type CommandContext,
} from '../command.ts';

const OPTIONS = { json: { type: 'boolean', default: false }, ...CATALOG_OPTIONS } as const;

const OPTIONS_HELP = `Options:
  --json            JSON instead of text
${CATALOG_OPTIONS_HELP}
`;

export const get: Command = {
  help: `
Usage: sluice get KIND [ID] [OPTIONS]

Shows entries of the catalog: all entries of a kind as a table, or one as YAML.
Kinds: plans, models, accounts, organizations, projects, api_keys.

${OPTIONS_HELP}`,
  run: async (parameters, context) => {
    const { values, positionals } = parseOptions(parameters, OPTIONS);
    const [kind, id, ...more] = positionals;
    if (kind === undefined) throw new UsageError('name a kind, such as plans');
    if (more.length > 0) throw new UsageError(`it takes one id, not '${more.join(' ')}' too`);
    return show(readKind(kind), id, values, context);
  },
};

export const organizations = shorthand('organizations');
export const models = shorthand('models');

function shorthand(kind: ResourceKind): Command {
  return {
    help: `
Usage: sluice ${kind} [ID] [OPTIONS]

The same as 'sluice get ${kind}'.

${OPTIONS_HELP}`,
    run: async (parameters, context) => {
      const { values, positionals } = parseOptions(parameters, OPTIONS);
      const [id, ...more] = positionals;
      if (more.length > 0) throw new UsageError(`it takes one id, not '${more.join(' ')}' too`);
      return show(kind, id, values, context);
    },
  };
}

async function show(
  kind: ResourceKind,
  id: string | undefined,
  options: CatalogOptions & { readonly json: boolean },
  context: CommandContext,
): Promise<number> {
  await withCatalog(options, context, async (admin) => {
    if (id === undefined) {
      const { documents, text } = await list(admin, kind);
      context.print(options.json ? JSON.stringify(documents.map(withoutDigest)) : text);
      return;
    }
    const found = await findResource(admin, kind, id);
    if (found === undefined) {
      throw new CommandFailure(`there is no ${id} among ${kind}; 'sluice get ${kind}' lists them`);
    }
    const shown = withoutDigest(found.document);
    context.print(options.json ? JSON.stringify(shown) : stringify(shown).trimEnd());
  });
  return EXIT_DONE;
}

interface Listing<Kind extends ResourceKind> {
  readonly documents: readonly ResourceOf<Kind>[];
  readonly text: string;
}

async function list<Kind extends ResourceKind>(
  admin: CatalogAdminClient,
  kind: Kind,
): Promise<Listing<Kind>> {
  const documents = (await listResources(admin, kind)).map(({ document }) => document);
  return { documents, text: resourceTable(kind, documents) };
}

/** Removes the digest of an API key: it has no use for operators and should not be shown. */
function withoutDigest(document: ResourceOf<ResourceKind>): object {
  if (!('sha256' in document)) return document;
  const { sha256: _digest, ...rest } = document;
  return rest;
}
