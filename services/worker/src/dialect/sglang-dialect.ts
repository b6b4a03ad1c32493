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
      ...conventionalBody(request, header, options),
      ...effortParameter(header, KNOWN_EFFORTS),
      ...(options.sharedCache ? {} : { cache_salt: cacheSalt(header.organization) }),
    };
  },
};
