import { chooseMember } from '../catalog/choose-member.ts';
import { CATALOG_OPTIONS, CATALOG_OPTIONS_HELP, withCatalog } from '../catalog/connect-catalog.ts';
import { UsageError } from '../command.ts';
import { defineCommand } from '../define-command.ts';
import { FORMATS, outputHelp } from '../output/formats.ts';

export const playground = defineCommand({
  help: `
Usage: sluice playground token --project P [--account A] [OPTIONS]

Issues a playground credential, which is used like an API key and is valid for ten
minutes.

Options:
  --project P       the project of the credential
  --account A       the account that it acts for (an active member of the organization)
${outputHelp()}
${CATALOG_OPTIONS_HELP}
`,
  options: {
    project: { type: 'string' },
    account: { type: 'string' },
    ...CATALOG_OPTIONS,
  },
  formats: FORMATS,
  words: [{ words: ['token'] }],
  run: async ({ values, positionals, show }, context) => {
    if (positionals.join(' ') !== 'token') throw new UsageError("write 'playground token'");
    const { project } = values;
    if (project === undefined) throw new UsageError('name the project with --project');
    await withCatalog(values, context, async (admin) => {
      const account = values.account ?? (await chooseMember(admin, project, '--account'));
      const { token, expiresAtMs } = await admin.issuePlaygroundToken({ project, account });
      const expires = new Date(expiresAtMs).toISOString();
      show({ data: { token, expires_at: expires, project, account }, text: () => token });
    });
  },
});
