import { countOf, objectOf } from '../json/json.ts';
import type { Dialect } from './dialect.ts';
import { openAiBody, openAiDialect } from './openai.ts';
import { cacheSalt, effortParameter } from './parameters.ts';

/** The values of `reasoning_effort` that SGLang accepts. */
const KNOWN_EFFORTS = new Set(['none', 'low', 'medium', 'high']);

/**
 * SGLang gets the requests of any OpenAI-compatible server, with some more parameters. Newer versions separate the
 * caches of organizations by a salt. Older versions ignore the salt, so this dialect does not promise separate caches.
 */
export const sglangDialect: Dialect = {
  ...openAiDialect,
  kind: 'sglang',
  owner: /^sglang$/,
  requestBody(request, header, options) {
    return {
      ...openAiBody(request, header),
      ...effortParameter(header, KNOWN_EFFORTS),
      ...(options.sharedCache ? {} : { cache_salt: cacheSalt(header.organization) }),
      // By default, SGLang handles higher values first, and requests without a priority last:
      // https://docs.sglang.io/advanced_features/server_arguments.html
      ...(options.priorities ? { priority: header.scheduling_class ?? 0 } : {}),
    };
  },
  // Versions before 0.5.12 count only plain text, and refuse this request.
  promptLengthRequest({ messages, tools, toolChoice }, header) {
    const body = {
      model: header.runtime_model,
      messages,
      ...(tools.length > 0 ? { tools } : {}),
      ...(toolChoice === undefined ? {} : { tool_choice: toolChoice }),
      ...effortParameter(header, KNOWN_EFFORTS),
    };
    return { path: '/tokenize', body };
  },
  promptLength: (answer) => countOf(objectOf(answer)?.['count']),
};
