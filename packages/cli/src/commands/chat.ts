import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import * as z from 'zod';
import { readApiRoot } from '../address-option.ts';
import { CATALOG_OPTIONS, CATALOG_OPTIONS_HELP, withCatalog } from '../catalog/connect-catalog.ts';
import { chatSession } from '../chat/chat-session.ts';
import { firstModel } from '../chat/first-model.ts';
import { playgroundCredentials } from '../chat/playground-credential.ts';
import {
  EXIT_DONE,
  EXIT_FAILED,
  UsageError,
  refusePositionals,
  type CommandContext,
} from '../command.ts';
import { addressIn, chosenDeployment } from '../contexts/chosen-deployment.ts';
import { defineCommand } from '../define-command.ts';
import { findStack } from '../stack/find-stack.ts';

export const chat = defineCommand({
  help: `
Usage: sluice chat [OPTIONS]

Starts a chat with a model. It uses a playground credential, which is renewed when
it expires. Reasoning is shown dimmed. After each answer, its number of tokens and
the rest of the limits are shown. Ctrl-C stops an answer, and a second Ctrl-C ends
the chat. If the model calls a tool, you are asked for the result. /help lists what
else you can write.

If standard input is not a terminal, each line is a turn, or the result of a tool
call, and only answers are written to standard output. The exit code is 1 if a turn
had no answer.

Options:
  --model ID        the model (the first one that is available)
  --project P       the project to use (not needed if there is only one)
  --account A       the account to act for (an active member of the organization)
  --system TEXT     the system message
  --effort EFFORT   the reasoning effort
  --tools FILE      a JSON file with an array of function tools
  --url URL         base address of another deployment, including /compat/v1.
                    Needs --address
${CATALOG_OPTIONS_HELP}
`,
  options: {
    model: { type: 'string' },
    project: { type: 'string' },
    account: { type: 'string' },
    system: { type: 'string' },
    effort: { type: 'string' },
    tools: { type: 'string' },
    url: { type: 'string' },
    ...CATALOG_OPTIONS,
  },
  run: async ({ values, positionals }, context) => {
    refusePositionals(positionals);
    const { terminal, folder } = context;
    if (terminal === undefined) throw new UsageError('there is no terminal to talk in');
    const { url, address, state } = values;
    if ((url === undefined) !== (address === undefined)) {
      throw new UsageError('--url and --address belong together');
    }
    const given = url === undefined ? undefined : readApiRoot(url);
    const tools = values.tools === undefined ? undefined : await readTools(values.tools, folder);
    const apiRoot = given ?? (await findApiRoot(state, context));
    const credential = playgroundCredentials({
      project: values.project,
      account: values.account,
      withAdmin: (use) => withCatalog(values, context, use),
    });
    // Requested before the first prompt, so that configuration errors are reported at once.
    const first = await credential();
    const model = values.model ?? (await firstModel(apiRoot, first));
    const unanswered = await chatSession({
      apiRoot,
      credential,
      terminal,
      model,
      system: values.system,
      reasoningEffort: values.effort,
      tools,
      colour: context.screen?.colour,
    });
    return unanswered > 0 && !terminal.interactive ? EXIT_FAILED : EXIT_DONE;
  },
});

async function findApiRoot(state: string | undefined, context: CommandContext): Promise<string> {
  const deployment = await chosenDeployment(context, { isNamed: state !== undefined });
  if (deployment !== undefined && deployment.state === undefined) {
    return addressIn(deployment, 'url');
  }
  const stack = await findStack(state ?? deployment?.state, context, '--url and --address');
  return stack.api_root;
}

async function readTools(path: string, folder: string): Promise<readonly unknown[]> {
  try {
    const text = await readFile(resolve(folder, path), 'utf8');
    return z.array(z.unknown()).parse(JSON.parse(text));
  } catch (error) {
    throw new UsageError(`${path} is not a JSON file with an array of tools`, { cause: error });
  }
}
