import type { JobHeader } from '@sluice/contracts';
import type { JsonObject } from '../json/json.ts';
import type { ClientRequest } from './client-request.ts';
import type { Dialect } from './dialect.ts';

/**
 * The part of the request that every OpenAI-compatible runtime supports. The worker always asks for a stream with
 * usage, even if its client wants a reply that does not stream.
 */
export function openAiBody(request: ClientRequest, header: JobHeader): JsonObject {
  return {
    model: header.runtime_model,
    messages: request.messages,
    stream: true,
    stream_options: { include_usage: true },
    ...request.sampling,
    ...(request.tools.length > 0 ? { tools: request.tools } : {}),
    ...(request.toolChoice === undefined ? {} : { tool_choice: request.toolChoice }),
    ...(request.responseFormat === undefined ? {} : { response_format: request.responseFormat }),
  };
}

/** Any OpenAI-compatible server. */
export const openAiDialect: Dialect = {
  kind: 'openai',
  separatesCaches: false,
  requestBody(request, header) {
    return {
      ...openAiBody(request, header),
      ...(header.reasoning_effort === undefined
        ? {}
        : { reasoning_effort: header.reasoning_effort }),
    };
  },
  // The OpenAI API cannot count a prompt. The runtime refuses a prompt that does not fit.
  promptLengthRequest: () => undefined,
  promptLength: () => undefined,
};
