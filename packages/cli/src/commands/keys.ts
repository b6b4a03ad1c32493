import type { CatalogAdminClient } from '@sluice/rpc';
import { chooseMember } from '../catalog/choose-member.ts';
import { CATALOG_OPTIONS, CATALOG_OPTIONS_HELP, withCatalog } from '../catalog/connect-catalog.ts';
import { requireProject } from '../catalog/require-project.ts';
import { resourceTable } from '../catalog/resource-tables.ts';
import { listResources } from '../catalog/resources.ts';
import { EXIT_DONE, UsageError, parseOptions, type Command } from '../command.ts';
import { readMoment } from '../read-moment.ts';

const OPTIONS = {
  project: { type: 'string' },
  name: { type: 'string', default: '' },
  creator: { type: 'string' },
  expires: { type: 'string' },
  json: { type: 'boolean', default: false },
  ...CATALOG_OPTIONS,
} as const;

type KeyOptions = ReturnType<typeof parseOptions<typeof OPTIONS>>['values'];

export const keys: Command = {
  help: `
Usage: sluice keys create --project P [--name N] [--creator A] [--expires WHEN]
       sluice keys list [--project P]
       sluice keys revoke ID

Creates, lists and revokes API keys. A key is shown once, when it is created. A
revoked key is refused by all gateways within a second. This cannot be undone.

Options:
  --project P       the project of the key
  --name N          a name that describes its purpose
  --creator A       the account that the key acts for (an active member of the organization)
  --expires WHEN    a date (UTC) such as 2027-01-31 or '2027-01-31 18:00', or a time
                    from now such as 90d or 12h
  --json            JSON instead of text
${CATALOG_OPTIONS_HELP}
`,
  run: async (parameters, context) => {
    const { values, positionals } = parseOptions(parameters, OPTIONS);
    const [verb, id, ...more] = positionals;
    const takesId = verb === 'revoke';
    if (more.length > 0 || (!takesId && id !== undefined)) {
      throw new UsageError(`too many words: '${positionals.slice(takesId ? 2 : 1).join(' ')}'`);
    }
    if (verb !== 'create' && verb !== 'list' && verb !== 'revoke') {
      throw new UsageError("say what to do: 'keys create', 'keys list' or 'keys revoke'");
    }
    const text = await withCatalog(values, context, async (admin) => {
      if (verb === 'create') return create(admin, values);
      if (verb === 'list') return list(admin, values);
      return revoke(admin, id, values);
    });
    context.print(text);
    return EXIT_DONE;
  },
};

async function create(admin: CatalogAdminClient, options: KeyOptions): Promise<string> {
  const { project, name } = options;
  if (project === undefined) throw new UsageError('name the project with --project');
  const expiresAtMs = options.expires === undefined ? undefined : readMoment(options.expires);
  const creator = options.creator ?? (await chooseMember(admin, project, '--creator'));
  const { id, key } = await admin.createApiKey({
    project,
    name,
    creator,
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
  });
  if (options.json) return JSON.stringify({ id, key, project, creator });
  return `${key}\n\nThe key ${id} of project ${project}. It is not shown again.`;
}

async function list(admin: CatalogAdminClient, { project, json }: KeyOptions): Promise<string> {
  // A mistyped project must not look like a project without keys.
  if (project !== undefined) await requireProject(admin, project);
  const found = await listResources(admin, 'api_keys', project === undefined ? {} : { project });
  const documents = found.map(({ document }) => document);
  if (json) return JSON.stringify(documents.map(({ sha256: _digest, ...key }) => key));
  return resourceTable('api_keys', documents);
}

async function revoke(
  admin: CatalogAdminClient,
  id: string | undefined,
  { json }: KeyOptions,
): Promise<string> {
  if (id === undefined) throw new UsageError("name the key's id; 'sluice keys list' shows them");
  await admin.revokeApiKey({ id });
  return json ? JSON.stringify({ id, revoked: true }) : `The key ${id} is revoked.`;
}
