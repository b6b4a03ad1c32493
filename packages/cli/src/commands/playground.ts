import { chooseMember } from '../catalog/choose-member.ts';
import { CATALOG_OPTIONS, CATALOG_OPTIONS_HELP, withCatalog } from '../catalog/connect-catalog.ts';
import { EXIT_DONE, UsageError, parseOptions, type Command } from '../command.ts';

export const playground: Command = {
  help: `
Usage: sluice playground token --project P [--account A] [OPTIONS]

Issues a playground credential, which is used like an API key and is valid for ten
minutes.

Options:
  --project P       the project of the credential
  --account A       the account that it acts for (an active member of the organization)
  --json            JSON instead of text
${CATALOG_OPTIONS_HELP}
`,
  run: async (parameters, context) => {
    const { values, positionals } = parseOptions(parameters, {
      project: { type: 'string' },
      account: { type: 'string' },
      json: { type: 'boolean', default: false },
      ...CATALOG_OPTIONS,
    });
    if (positionals.join(' ') !== 'token') throw new UsageError("write 'playground token'");
    const { project } = values;
    if (project === undefined) throw new UsageError('name the project with --project');
    await withCatalog(values, context, async (admin) => {
      const account = values.account ?? (await chooseMember(admin, project, '--account'));
      const { token, expiresAtMs } = await admin.issuePlaygroundToken({ project, account });
      const expires = new Date(expiresAtMs).toISOString();
      if (values.json) {
        context.print(JSON.stringify({ token, expires_at: expires, project, account }));
      } else context.print(token);
    });
    return EXIT_DONE;
  },
};
