import type { JobHeader } from '@sluice/contracts';
import { countOf, objectOf, type JsonObject } from '../json/json.ts';
import type { ClientRequest } from './client-request.ts';
import type { Dialect } from './dialect.ts';
import { openAiBody } from './openai.ts';
import { cacheSalt, effortParameter } from './parameters.ts';
import { readVllmLoad } from './runtime-load.ts';

/** The values of `reasoning_effort` that vLLM accepts. */
const KNOWN_EFFORTS = new Set(['none', 'minimal', 'low', 'medium', 'high']);
const NO_PARAMETERS = { type: 'object', properties: {} };

export const vllmDialect: Dialect = {
  kind: 'vllm',
  // `vllm-frontend-rs` is vLLM's frontend in Rust. Other servers with names like `vllm-…` do not know `cache_salt`.
  owner: /^vllm(-frontend-rs)?$/,
  separatesCaches: true,
  readLoad: readVllmLoad,
  requestBody(request, header, { priorities }) {
    return {
      ...openAiBody(adaptRequest(request), header),
      ...effortParameter(header, KNOWN_EFFORTS),
      cache_salt: cacheSalt(header.organization),
      ...(priorities ? priorityParameter(header) : {}),
    };
  },
  promptLengthRequest(request, header) {
    const { messages, tools } = adaptRequest(request);
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

function adaptRequest(request: ClientRequest): ClientRequest {
  return {
    ...request,
    messages: request.messages.map(withReasoning),
    tools: request.tools.map(withParameters),
  };
}

/**
 * Sends earlier reasoning as `reasoning`, which all versions with support for reasoning read. Newer versions do not
 * read `reasoning_content`, and the frontend in Rust refuses a message with both names.
 */
function withReasoning(message: JsonObject): JsonObject {
  const { reasoning_content: reasoning, ...rest } = message;
  return reasoning === undefined ? message : { ...rest, reasoning };
}

/** The frontend in Rust refuses a function without parameters. Other versions treat missing parameters as empty. */
function withParameters(tool: JsonObject): JsonObject {
  const definition = objectOf(tool['function']);
  if (definition?.['parameters'] !== undefined) return tool;
  return { ...tool, function: { ...definition, parameters: NO_PARAMETERS } };
}

/**
 * vLLM handles lower values first. The default is 0, so the default class needs no parameter:
 * https://docs.vllm.ai/en/stable/serving/openai_compatible_server/
 */
function priorityParameter({ scheduling_class: schedulingClass = 0 }: JobHeader): JsonObject {
  return schedulingClass === 0 ? {} : { priority: -schedulingClass };
}
