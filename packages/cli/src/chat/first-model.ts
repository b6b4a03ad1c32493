import { ModelList } from '@sluice/contracts';
import { CommandFailure } from '../command.ts';
import { refusalOf } from './request-answer.ts';

/** The first model that the gateway lists for the credential. */
export async function firstModel(apiRoot: string, credential: string): Promise<string> {
  const response = await fetch(`${apiRoot}/models`, {
    headers: { authorization: `Bearer ${credential}` },
  }).catch((error: unknown) => {
    throw new CommandFailure(`the gateway at ${apiRoot} does not answer`, { cause: error });
  });
  if (!response.ok) throw new CommandFailure((await refusalOf(response)).message);
  const [first] = await modelsIn(response, apiRoot);
  if (first === undefined) throw new CommandFailure('there is no model that may be used');
  return first.id;
}

async function modelsIn(response: Response, apiRoot: string): Promise<ModelList['data']> {
  try {
    return ModelList.parse(await response.json()).data;
  } catch (error) {
    throw new CommandFailure(`the server at ${apiRoot} does not list models as Sluice does`, {
      cause: error,
    });
  }
}
