import { PLAYGROUND_TOKEN_LIFE_MS } from '@sluice/contracts';
import type { CatalogAdminClient } from '@sluice/rpc';
import { chooseMember } from '../catalog/choose-member.ts';
import { listResources } from '../catalog/resources.ts';
import { CommandFailure } from '../command.ts';

export interface CredentialSource {
  readonly project?: string | undefined;
  readonly account?: string | undefined;
  /** Runs `use` with a connection to the catalog. */
  readonly withAdmin: <Result>(
    use: (admin: CatalogAdminClient) => Promise<Result>,
  ) => Promise<Result>;
}

/**
 * A credential is replaced a minute before it expires. Its age is measured by the local clock, because the expiry that
 * the catalog returns is a time of the clock of the catalog, which may differ.
 */
const RENEW_AFTER_MS = PLAYGROUND_TOKEN_LIFE_MS - 60_000;

/** Returns a function that gives the current playground credential and renews it when needed. */
export function playgroundCredentials({
  project,
  account,
  withAdmin,
}: CredentialSource): () => Promise<string> {
  let issued: { token: string; askedAtMs: number } | undefined;
  return async () => {
    const now = Date.now();
    if (issued === undefined || now - issued.askedAtMs > RENEW_AFTER_MS) {
      const { token } = await withAdmin(async (admin) => {
        const chosen = project ?? (await onlyProject(admin));
        const member = account ?? (await chooseMember(admin, chosen, '--account'));
        return admin.issuePlaygroundToken({ project: chosen, account: member });
      });
      issued = { token, askedAtMs: now };
    }
    return issued.token;
  };
}

async function onlyProject(admin: CatalogAdminClient): Promise<string> {
  const projects = await listResources(admin, 'projects');
  const [first] = projects;
  if (first === undefined) throw new CommandFailure('the catalog has no project');
  if (projects.length > 1) {
    const ids = projects.map(({ id }) => id).join(', ');
    throw new CommandFailure(`choose a project with --project: ${ids}`);
  }
  return first.id;
}
