import type { JobHeader } from '@sluice/contracts';
import { countOf, objectOf, textOf, type JsonObject } from '../json/json.ts';
import { demandedFunction, type ClientRequest } from './client-request.ts';
import type { Dialect } from './dialect.ts';
import { withoutFarBounds } from './llama-cpp-schema.ts';
import { conventionalBody } from './openai-dialect.ts';
import { readLlamaCppLoad } from './runtime-load.ts';

/** The server of llama.cpp. It caches by slot, for whoever comes next, so its cache is off unless shared on purpose. */
export const llamaCppDialect: Dialect = {
  kind: 'llama.cpp',
  owner: /^llamacpp$/,
  // It answers everything but the list of models with 503 while it loads.
  loadedPath: '/health',
  slotsPage: { path: '/props', read: (page) => countOf(objectOf(page)?.['total_slots']) },
  separatesCaches: false,
  readLoad: readLlamaCppLoad,
  requestBody(request, header, options) {
    return {
      ...conventionalBody(bearable(request), header),
      cache_prompt: options.sharedCache,
      // Thoughts in a field of their own, whatever the server was started with.
      reasoning_format: 'auto',
      ...effortOfTemplate(header),
    };
  },
  promptQuestion(request, { runtime_model: model }) {
    // A grammar is made of the tools for this, too.
    const { messages, tools } = bearable(request);
    // One that serves several models refuses questions that name none.
    const body = { model, messages, ...(tools.length > 0 ? { tools } : {}) };
    return { path: '/apply-template', body };
  },
  async promptLength(rendered, ask, { runtime_model: model }) {
    const prompt = textOf(objectOf(rendered)?.['prompt']);
    if (prompt === undefined) return undefined;
    const answer = objectOf(
      await ask('/tokenize', { model, content: prompt, add_special: true, parse_special: true }),
    );
    return Array.isArray(answer?.['tokens']) ? answer['tokens'].length : undefined;
  },
};

/** To leave out thoughts is a switch of its own in most templates, and not every version turns it for `none`. */
function effortOfTemplate({ reasoning_effort: effort }: JobHeader): JsonObject {
  if (effort === undefined) return {};
  const thinking = effort === 'none' ? { enable_thinking: false } : {};
  return { chat_template_kwargs: { reasoning_effort: effort, ...thinking } };
}

function bearable(request: ClientRequest): ClientRequest {
  const { tools, responseFormat, ...rest } = withChoiceInAWord(request);
  return {
    ...rest,
    tools: tools.map(withoutFarBounds),
    responseFormat: responseFormat && withoutFarBounds(responseFormat),
  };
}

/** It warns of a choice that is no word and goes on with `auto`: a function is named by being the only one there is. */
function withChoiceInAWord(request: ClientRequest): ClientRequest {
  const demanded = demandedFunction(request);
  if (demanded === undefined) return request;
  return {
    ...request,
    tools: request.tools.filter((tool) => objectOf(tool['function'])?.['name'] === demanded),
    toolChoice: 'required',
  };
}
