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
  parseOptions,
  refusePositionals,
  type Command,
} from '../command.ts';
import { findStack } from '../stack/find-stack.ts';

export const chat: Command = {
  help: `
Usage: sluice chat [OPTIONS]

Talks to a model, on a playground credential of ten minutes that is renewed as
long as it is needed. Reasoning is shown dimmed; after each answer come its
tokens and what is left of the limits. Ctrl-C stops an answer, a second one
leaves. Where a model calls a tool, you are asked for the result.

When lines are piped in, each is a turn (or the result of a call), and only
answers go to standard output. The exit code is 1 when a turn had no answer.

Options:
  --model ID        the model (the first that may be used)
  --project P       the project to talk for (the only one)
  --account A       the account to talk for (an active member of the organization)
  --system TEXT     what the model is told before everything else
  --effort EFFORT   how much it is to reason
  --tools FILE      a JSON file with an array of function tools
  --url URL         base address of a deployment elsewhere, with its /compat/v1;
                    together with --address
${CATALOG_OPTIONS_HELP}
`,
  run: async (parameters, context) => {
    const { values, positionals } = parseOptions(parameters, {
      model: { type: 'string' },
      project: { type: 'string' },
      account: { type: 'string' },
      system: { type: 'string' },
      effort: { type: 'string' },
      tools: { type: 'string' },
      url: { type: 'string' },
      ...CATALOG_OPTIONS,
    });
    refusePositionals(positionals);
    const { terminal, folder } = context;
    if (terminal === undefined) throw new UsageError('there is no terminal to talk in');
    const { url, address, state } = values;
    if ((url === undefined) !== (address === undefined)) {
      throw new UsageError('--url and --address belong together');
    }
    const given = url === undefined ? undefined : readApiRoot(url);
    const tools = values.tools === undefined ? undefined : await readTools(values.tools, folder);
    const apiRoot = given ?? (await findStack(state, context, '--url and --address')).api_root;
    const credential = playgroundCredentials({
      project: values.project,
      account: values.account,
      withAdmin: (use) => withCatalog(values, context, use),
    });
    // Asked for before anybody types, so that what cannot work at all is said at once.
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
    });
    return unanswered > 0 && !terminal.interactive ? EXIT_FAILED : EXIT_DONE;
  },
};

async function readTools(path: string, folder: string): Promise<readonly unknown[]> {
  try {
    const text = await readFile(resolve(folder, path), 'utf8');
    return z.array(z.unknown()).parse(JSON.parse(text));
  } catch (error) {
    throw new UsageError(`${path} is no JSON file with an array of tools`, { cause: error });
  }
}
