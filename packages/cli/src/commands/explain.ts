import { withCatalog, type CatalogOptions } from '../catalog/connect-catalog.ts';
import { findResource } from '../catalog/resources.ts';
import { CommandFailure, UsageError, type CommandContext } from '../command.ts';
import { defineCommand } from '../define-command.ts';
import { harmlessText } from '../harmless-text.ts';
import { FORMATS, outputHelp } from '../output/formats.ts';
import { USAGE_OPTIONS, USAGE_OPTIONS_HELP, withUsage } from '../usage-service/connect-usage.ts';
import { explainedText } from '../usage-service/show-explained.ts';

export const explain = defineCommand({
  help: `
Usage: sluice explain REQUEST_ID [OPTIONS]

Shows the outcome of a request: who sent it, what was left of each limit, which
workers it was offered to and how each attempt ended, its times, its tokens, and
what it cost. The id is in the header x-request-id of the reply. A request is known
some seconds after it has ended. Prompts and answers are not recorded.

Options:
${outputHelp()}
${USAGE_OPTIONS_HELP}
`,
  options: USAGE_OPTIONS,
  formats: FORMATS,
  run: async ({ values, positionals, show }, context) => {
    const [id, ...more] = positionals;
    if (id === undefined || more.length > 0) throw new UsageError('name one request');
    const reply = await withUsage(values, context, (usage) => usage.explain({ id }));
    const keyName = await keyNameOf(reply.request?.credential, values, context);
    const explained = { ...reply, keyName };
    show({ data: explained, text: () => harmlessText(explainedText(explained)) });
  },
});

/** The name of an API key. Undefined if the key has no name, or if the catalog does not answer. */
async function keyNameOf(
  credential: string | undefined,
  options: CatalogOptions,
  context: CommandContext,
): Promise<string | undefined> {
  // `--address` is the address of usage. With it, the address of the catalog is not known.
  if (credential === undefined || options.address !== undefined) return undefined;
  try {
    return await withCatalog(options, context, async (admin) => {
      const key = await findResource(admin, 'api_keys', credential);
      return key === undefined || key.document.name === '' ? undefined : key.document.name;
    });
  } catch (error) {
    if (error instanceof CommandFailure) return undefined;
    throw error;
  }
}
