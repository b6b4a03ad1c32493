import { countOf, objectOf, type JsonObject } from '../json/json.ts';
import { cacheSalt } from './cache-salt.ts';
import type { Dialect } from './dialect.ts';
import { conventionalBody } from './openai-dialect.ts';
import { effortParameter } from './reasoning-effort.ts';
import { readVllmLoad } from './runtime-load.ts';

/** The names that vLLM's own parameter knows. */
const KNOWN_EFFORTS = new Set(['none', 'minimal', 'low', 'medium', 'high']);

export const vllmDialect: Dialect = {
  kind: 'vllm',
  owner: 'vllm',
  separatesCaches: true,
  readLoad: readVllmLoad,
  requestBody(request, header, options) {
    return {
      ...conventionalBody(
        { ...request, messages: request.messages.map(withBothReasoningNames) },
        header,
        options,
      ),
      ...effortParameter(header, KNOWN_EFFORTS),
      cache_salt: cacheSalt(header.organization),
    };
  },
  async countPrompt(ask, request, header) {
    const answer = await ask('/tokenize', {
      model: header.runtime_model,
      messages: request.messages.map(withBothReasoningNames),
      ...(request.tools.length > 0 ? { tools: request.tools } : {}),
      add_generation_prompt: true,
    });
    return countOf(objectOf(answer)?.['count']);
  },
};

/** Newer versions read `reasoning`, older ones `reasoning_content`. */
function withBothReasoningNames(message: JsonObject): JsonObject {
  const reasoning = message['reasoning_content'];
  return reasoning === undefined ? message : { ...message, reasoning };
}
