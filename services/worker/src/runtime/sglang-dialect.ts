import { cacheSalt } from './cache-salt.ts';
import type { Dialect } from './dialect.ts';
import { openAiDialect } from './openai-dialect.ts';

/**
 * SGLang is asked as any server of the convention is. Newer versions keep caches apart by a salt, older ones pass over
 * it: what was cached is therefore not reported unless the cache is shared on purpose.
 */
export const sglangDialect: Dialect = {
  ...openAiDialect,
  kind: 'sglang',
  requestBody(request, header, options) {
    return {
      ...openAiDialect.requestBody(request, header, options),
      ...(options.sharedCache ? {} : { cache_salt: cacheSalt(header.organization) }),
    };
  },
};
