import { countOf, objectOf, type JsonObject } from '../json/json.ts';
import { cacheSalt } from './cache-salt.ts';
import type { ClientRequest } from './client-request.ts';
import type { Dialect } from './dialect.ts';
import { conventionalBody } from './openai-dialect.ts';
import { effortParameter } from './reasoning-effort.ts';
import { readVllmLoad } from './runtime-load.ts';

/** The names that vLLM's own parameter knows. */
const KNOWN_EFFORTS = new Set(['none', 'minimal', 'low', 'medium', 'high']);
const NO_PARAMETERS = { type: 'object', properties: {} };

export const vllmDialect: Dialect = {
  kind: 'vllm',
  // The second is its frontend in Rust. Others call themselves `vllm-…` too, and know nothing of its salts.
  owner: /^vllm(-frontend-rs)?$/,
  separatesCaches: true,
  readLoad: readVllmLoad,
  requestBody(request, header) {
    return {
      ...conventionalBody(inItsWords(request), header),
      ...effortParameter(header, KNOWN_EFFORTS),
      cache_salt: cacheSalt(header.organization),
    };
  },
  promptQuestion(request, header) {
    const { messages, tools } = inItsWords(request);
    const body = {
      model: header.runtime_model,
      messages,
      ...(tools.length > 0 ? { tools } : {}),
      add_generation_prompt: true,
    };
    return { path: '/tokenize', body };
  },
  promptLength: (answer) => countOf(objectOf(answer)?.['count']),
};

function inItsWords(request: ClientRequest): ClientRequest {
  return {
    ...request,
    messages: request.messages.map(withReasoning),
    tools: request.tools.map(withParameters),
  };
}

/** All versions that read it read this name, newer ones no other, and the frontend in Rust refuses two names at once. */
function withReasoning(message: JsonObject): JsonObject {
  const { reasoning_content: reasoning, ...rest } = message;
  return reasoning === undefined ? message : { ...rest, reasoning };
}

/** The frontend in Rust refuses a function without them; elsewhere vLLM reads their absence as this. */
function withParameters(tool: JsonObject): JsonObject {
  const definition = objectOf(tool['function']);
  if (definition?.['parameters'] !== undefined) return tool;
  return { ...tool, function: { ...definition, parameters: NO_PARAMETERS } };
}
