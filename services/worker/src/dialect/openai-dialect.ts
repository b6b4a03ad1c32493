import type { JobHeader } from '@sluice/contracts';
import type { JsonObject } from '../json/json.ts';
import type { ClientRequest } from './client-request.ts';
import type { Dialect, TranslationOptions } from './dialect.ts';

/** What every runtime of the convention understands. The stream is always asked for, with its usage. */
export function conventionalBody(
  request: ClientRequest,
  header: JobHeader,
  { outputBound }: Pick<TranslationOptions, 'outputBound'>,
): JsonObject {
  return {
    model: header.runtime_model,
    messages: request.messages,
    stream: true,
    stream_options: { include_usage: true },
    ...request.sampling,
    ...(outputBound === undefined ? {} : { max_tokens: outputBound }),
    ...(request.tools.length > 0 ? { tools: request.tools } : {}),
    ...(request.toolChoice === undefined ? {} : { tool_choice: request.toolChoice }),
    ...(request.responseFormat === undefined ? {} : { response_format: request.responseFormat }),
  };
}

/** Any server of the convention. */
export const openAiDialect: Dialect = {
  kind: 'openai',
  separatesCaches: false,
  requestBody(request, header, options) {
    return {
      ...conventionalBody(request, header, options),
      ...(header.reasoning_effort === undefined
        ? {}
        : { reasoning_effort: header.reasoning_effort }),
    };
  },
  // The convention has no way to ask: such a runtime refuses what does not fit.
  countPrompt: () => Promise.resolve(undefined),
};
