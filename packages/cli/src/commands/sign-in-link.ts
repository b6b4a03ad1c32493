import { CATALOG_OPTIONS, CATALOG_OPTIONS_HELP, withCatalog } from '../catalog/connect-catalog.ts';
import { UsageError } from '../command.ts';
import { defineCommand } from '../define-command.ts';
import { FORMATS, outputHelp } from '../output/formats.ts';

export const signInLink = defineCommand({
  help: `
Usage: sluice sign-in-link ACCOUNT [--console URL] [OPTIONS]

Makes a link that signs a person in to the web console as this account. It works
once, for ten minutes, and needs no provider.

Options:
  --console URL     the address of the console; without it, only the token is shown
${outputHelp()}
${CATALOG_OPTIONS_HELP}
`,
  options: {
    console: { type: 'string' },
    ...CATALOG_OPTIONS,
  },
  formats: FORMATS,
  words: [{ idOf: 'accounts' }],
  run: async ({ values, positionals, show }, context) => {
    const [account, ...others] = positionals;
    if (account === undefined || others.length > 0) throw new UsageError('name one account');
    const consoleUrl = readConsoleUrl(values.console);
    await withCatalog(values, context, async (admin) => {
      const { token, expiresAtMs } = await admin.createSignInLink({ account });
      const expires = new Date(expiresAtMs).toISOString();
      const url = consoleUrl && linkOf(consoleUrl, token);
      show({
        data: { token, ...(url !== undefined && { url }), account, expires_at: expires },
        text: () => url ?? token,
      });
    });
  },
});

function readConsoleUrl(text: string | undefined): URL | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new UsageError(`--console must be an http or https URL, not ${text}`);
}

function linkOf(base: URL, token: string): string {
  const url = new URL(base);
  url.pathname = `${base.pathname.replace(/\/$/, '')}/sign-in/link`;
  url.search = new URLSearchParams({ token }).toString();
  return url.href;
}
