import { countOf, objectOf } from '../json/json.ts';
import { cacheSalt } from './cache-salt.ts';
import type { Dialect } from './dialect.ts';
import { conventionalBody, openAiDialect } from './openai-dialect.ts';
import { effortParameter } from './reasoning-effort.ts';

/** The names that SGLang's own parameter knows. */
const KNOWN_EFFORTS = new Set(['none', 'low', 'medium', 'high']);

/**
 * SGLang is asked as any server of the convention is. Newer versions keep caches apart by a salt, older ones pass over
 * it: what was cached is therefore not reported unless the cache is shared on purpose.
 */
export const sglangDialect: Dialect = {
  ...openAiDialect,
  kind: 'sglang',
  owner: /^sglang$/,
  requestBody(request, header, options) {
    return {
      ...conventionalBody(request, header),
      ...effortParameter(header, KNOWN_EFFORTS),
      ...(options.sharedCache ? {} : { cache_salt: cacheSalt(header.organization) }),
    };
  },
  // Versions before 0.5.12 count a text alone, and refuse this.
  promptQuestion({ messages, tools, toolChoice }, header) {
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
