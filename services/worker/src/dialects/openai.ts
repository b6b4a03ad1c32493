import type { JobHeader } from '@sluice/contracts';
import type { JsonObject } from '../json/json.ts';
import type { ClientRequest } from './client-request.ts';
import type { Dialect } from './dialect.ts';

/** What every runtime of the convention understands. The stream is always asked for, with its usage. */
export function conventionalBody(request: ClientRequest, header: JobHeader): JsonObject {
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

/** Any server of the convention. */
export const openAiDialect: Dialect = {
  kind: 'openai',
  separatesCaches: false,
  requestBody(request, header) {
    return {
      ...conventionalBody(request, header),
      ...(header.reasoning_effort === undefined
        ? {}
        : { reasoning_effort: header.reasoning_effort }),
    };
  },
  // The convention has no way to ask: such a runtime refuses what does not fit.
  promptQuestion: () => undefined,
  promptLength: () => undefined,
};
