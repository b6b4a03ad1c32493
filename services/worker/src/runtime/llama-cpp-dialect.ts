import type { Dialect } from './dialect.ts';
import { objectOf, textOf } from './json.ts';
import { conventionalBody } from './openai-dialect.ts';
import { readLlamaCppLoad } from './runtime-load.ts';

/** The server of llama.cpp. It caches by slot, for whoever comes next, so its cache is off unless shared on purpose. */
export const llamaCppDialect: Dialect = {
  kind: 'llama.cpp',
  separatesCaches: false,
  readLoad: readLlamaCppLoad,
  requestBody(request, header, options) {
    return {
      ...conventionalBody(request, header, options),
      cache_prompt: options.sharedCache,
      // Thoughts in a field of their own, whatever the server was started with.
      reasoning_format: 'auto',
      ...(header.reasoning_effort === undefined
        ? {}
        : { chat_template_kwargs: { reasoning_effort: header.reasoning_effort } }),
    };
  },
  async countPrompt(ask, request) {
    const rendered = objectOf(
      await ask('/apply-template', {
        messages: request.messages,
        ...(request.tools.length > 0 ? { tools: request.tools } : {}),
      }),
    );
    const prompt = textOf(rendered?.['prompt']);
    if (prompt === undefined) return undefined;
    const answer = objectOf(
      await ask('/tokenize', { content: prompt, add_special: true, parse_special: true }),
    );
    return Array.isArray(answer?.['tokens']) ? answer['tokens'].length : undefined;
  },
};
