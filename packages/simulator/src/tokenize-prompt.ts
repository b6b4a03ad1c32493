import { parseTokenizeRequest } from './chat-request.ts';
import type { SimulatedModel } from './models.ts';
import { promptTokens, textTokens } from './prompt.ts';
import { RefusedRequest } from './refusal.ts';

/** Answers `POST /tokenize` in the format of vLLM. The count equals the prompt tokens that a completion reports. */
export function tokenizePrompt(body: unknown, models: readonly SimulatedModel[]) {
  const request = parseTokenizeRequest(body);
  const wanted = request.model ?? models[0]?.name;
  const model = models.find(({ name }) => name === wanted);
  if (model === undefined) {
    throw new RefusedRequest(404, `The model \`${wanted ?? ''}\` does not exist.`, 'model');
  }
  const { messages, tools, prompt } = request;
  if (!messages && typeof prompt !== 'string') {
    throw new RefusedRequest(400, 'Send `messages` or `prompt`.', 'body');
  }
  const tokens = messages
    ? promptTokens({ messages, tools }, request.add_generation_prompt)
    : textTokens(prompt ?? '');
  return { count: tokens.length, max_model_len: model.contextLength, tokens, token_strs: null };
}
