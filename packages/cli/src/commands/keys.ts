import type { CatalogAdminClient } from '@sluice/rpc';
import { chooseMember } from '../catalog/choose-member.ts';
import { CATALOG_OPTIONS, CATALOG_OPTIONS_HELP, withCatalog } from '../catalog/connect-catalog.ts';
import { requireProject } from '../catalog/require-project.ts';
import { resourceTable } from '../catalog/resource-tables.ts';
import { findResource, listResources } from '../catalog/resources.ts';
import { CommandFailure, UsageError, type CommandContext } from '../command.ts';
import { CONFIRM_HELP, CONFIRM_OPTIONS, confirm } from '../confirm.ts';
import { defineCommand } from '../define-command.ts';
import { LIST_FORMATS, outputHelp, type Shown } from '../output/formats.ts';
import { readMoment } from '../read-moment.ts';
import { readVerb } from '../read-verb.ts';

const OPTIONS = {
  project: { type: 'string' },
  name: { type: 'string', default: '' },
  creator: { type: 'string' },
  expires: { type: 'string' },
  'keep-old': { type: 'boolean', default: false },
  ...CONFIRM_OPTIONS,
  ...CATALOG_OPTIONS,
} as const;

const VERBS = ['create', 'list', 'rotate', 'revoke'] as const;

export const keys = defineCommand({
  help: `
Usage: sluice keys create --project P [--name N] [--creator A] [--expires WHEN]
       sluice keys list [--project P]
       sluice keys rotate ID [--expires WHEN] [--keep-old]
       sluice keys revoke ID

Creates, lists, rotates and revokes API keys. A key is shown once, when it is
created. A revoked key is refused by all gateways within a second. This cannot be
undone.

'rotate' creates a key with the project, name, creator and lifetime of an old key,
counted from now, and then revokes the old one.

Options:
  --project P       the project of the key
  --name N          a name that describes its purpose
  --creator A       the account that the key acts for (an active member of the organization)
  --expires WHEN    a date (UTC) such as 2027-01-31 or '2027-01-31 18:00', or a time
                    from now such as 90d or 12h
  --keep-old        rotate: do not revoke the old key, so that clients can change over
${CONFIRM_HELP}
${outputHelp(LIST_FORMATS)}
${CATALOG_OPTIONS_HELP}
`,
  options: OPTIONS,
  formats: LIST_FORMATS,
  words: [{ words: VERBS }, { idOf: 'api_keys' }],
  run: async ({ values, positionals, show }, context) => {
    const { verb, rest } = readVerb('keys', VERBS, positionals);
    const [id, ...more] = rest;
    const takesId = verb === 'revoke' || verb === 'rotate';
    if (more.length > 0 || (!takesId && id !== undefined)) {
      throw new UsageError(`too many words: '${rest.slice(takesId ? 1 : 0).join(' ')}'`);
    }
    await withCatalog(values, context, async (admin) => {
      if (verb === 'create') show(await create(admin, values));
      else if (verb === 'list') show(await list(admin, values));
      else if (id === undefined) {
        throw new UsageError("name the key's id; 'sluice keys list' shows them");
      } else if (verb === 'rotate') await rotate(admin, id, { values, show, context });
      else {
        await confirm(`Revoke the key ${id}? This cannot be undone.`, values, context);
        await admin.revokeApiKey({ id });
        show({ data: { id, revoked: true }, text: () => `The key ${id} is revoked.` });
      }
    });
  },
});

type KeyOptions = Parameters<
  Parameters<typeof defineCommand<typeof OPTIONS>>[0]['run']
>[0]['values'];

async function create(admin: CatalogAdminClient, options: KeyOptions): Promise<Shown> {
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
  return {
    data: { id, key, project, creator },
    text: () => `${key}\n\nThe key ${id} of project ${project}. It is not shown again.`,
  };
}

async function list(admin: CatalogAdminClient, { project }: KeyOptions): Promise<Shown> {
  // A mistyped project must not look like a project without keys.
  if (project !== undefined) await requireProject(admin, project);
  const found = await listResources(admin, 'api_keys', project === undefined ? {} : { project });
  const documents = found.map(({ document }) => document);
  return {
    data: documents.map(({ sha256: _digest, ...key }) => key),
    text: (screen) => resourceTable('api_keys', documents, screen),
  };
}

interface Rotation {
  readonly values: KeyOptions;
  readonly show: (shown: Shown) => void;
  readonly context: CommandContext;
}

async function rotate(
  admin: CatalogAdminClient,
  old: string,
  { values, show, context }: Rotation,
): Promise<void> {
  const found = await findResource(admin, 'api_keys', old);
  if (found === undefined) {
    throw new CommandFailure(`there is no key ${old}; 'sluice keys list' lists them`);
  }
  const { project, name, creator, created_at_ms, expires_at_ms, revoked_at_ms } = found.document;
  if (revoked_at_ms !== null) {
    throw new CommandFailure(`the key ${old} is revoked already; create one with 'keys create'`);
  }
  const keepsOld = values['keep-old'];
  if (!keepsOld) {
    await confirm(`Replace the key ${old}? It stops working at once.`, values, context);
  }
  const lifetimeMs = expires_at_ms === null ? undefined : expires_at_ms - created_at_ms;
  const sameLifetime = lifetimeMs === undefined ? undefined : Date.now() + lifetimeMs;
  const expiresAtMs = values.expires === undefined ? sameLifetime : readMoment(values.expires);
  const { id, key } = await admin.createApiKey({
    project,
    name,
    creator,
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
  });
  // The new key is shown before the old one is revoked. If that fails, the new key is not lost.
  show({
    data: { id, key, project, creator, replaces: old },
    text: () => `${key}\n\nThe key ${id} of project ${project}. It is not shown again.`,
  });
  if (!keepsOld) await admin.revokeApiKey({ id: old });
  const state = keepsOld ? `still works; 'sluice keys revoke ${old}' ends it` : 'is revoked';
  context.printError(`The key ${old} ${state}.`);
}
