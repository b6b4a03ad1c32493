import type { JobHeader } from '@sluice/contracts';
import { countOf, objectOf, textOf, type JsonObject, isJsonObject } from '../json/json.ts';
import { forcedFunction, type ClientRequest } from './client-request.ts';
import type { Dialect } from './dialect.ts';
import { openAiBody } from './openai.ts';
import { readLlamaCppLoad } from './runtime-load.ts';

/**
 * The server of llama.cpp. It keeps a prompt cache for each slot and not for each organization, so the cache is off
 * unless organizations may share it.
 */
export const llamaCppDialect: Dialect = {
  kind: 'llama.cpp',
  owner: /^llamacpp$/,
  // While the server loads a model, it already lists the model, and answers 503 to all other requests.
  loadedPath: '/health',
  slotsPage: { path: '/props', read: (page) => countOf(objectOf(page)?.['total_slots']) },
  separatesCaches: false,
  readLoad: readLlamaCppLoad,
  requestBody(request, header, options) {
    return {
      ...openAiBody(adaptRequest(request), header),
      cache_prompt: options.sharedCache,
      // Asks for reasoning in a separate field, independent of the server's options.
      reasoning_format: 'auto',
      ...effortArguments(header),
    };
  },
  promptLengthRequest(request, { runtime_model: model }) {
    // Adapted like a request for a generation, because the server makes a grammar of the tools here too.
    const { messages, tools } = adaptRequest(request);
    // A server with several models requires the name.
    const body = { model, messages, ...(tools.length > 0 ? { tools } : {}) };
    return { path: '/apply-template', body };
  },
  async promptLength(rendered, ask, { runtime_model: model }) {
    const prompt = textOf(objectOf(rendered)?.['prompt']);
    if (prompt === undefined) return undefined;
    const answer = objectOf(
      await ask('/tokenize', { model, content: prompt, add_special: true, parse_special: true }),
    );
    return Array.isArray(answer?.['tokens']) ? answer['tokens'].length : undefined;
  },
};

/** In most templates, a separate argument disables reasoning. Not every version of llama.cpp sets it for `none`. */
function effortArguments({ reasoning_effort: effort }: JobHeader): JsonObject {
  if (effort === undefined) return {};
  const thinking = effort === 'none' ? { enable_thinking: false } : {};
  return { chat_template_kwargs: { reasoning_effort: effort, ...thinking } };
}

/** Replaces what llama.cpp does not support. */
function adaptRequest(request: ClientRequest): ClientRequest {
  const { tools, responseFormat, ...rest } = forceByOnlyTool(request);
  return {
    ...rest,
    tools: tools.map(withoutFarBounds),
    responseFormat: responseFormat && withoutFarBounds(responseFormat),
  };
}

/** llama.cpp treats the choice of a function as `auto`, so the function is sent as the only tool, with `required`. */
function forceByOnlyTool(request: ClientRequest): ClientRequest {
  const forced = forcedFunction(request);
  if (forced === undefined) return request;
  return {
    ...request,
    tools: request.tools.filter((tool) => objectOf(tool['function'])?.['name'] === forced),
    toolChoice: 'required',
  };
}

const BOUNDS: ReadonlySet<string> = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
]);
/**
 * With a bound just above this, llama.cpp takes practically unlimited memory and time to make the grammar of a range.
 */
const MAX_BOUND = 1e15;
const MAX_COUNT_KEYWORDS: ReadonlySet<string> = new Set(['maxLength', 'maxItems']);
/** llama.cpp reads only the lowest 32 bits of a larger count, which may be less than the minimum, or negative. */
const MAX_COUNT = 2 ** 31 - 1;

/**
 * Returns a tool or a response format whose schema has no bounds of integers and lengths that are too large for
 * llama.cpp. Most of these bounds are defaults of schema generators, such as the range of 64 bits or of safe integers.
 * They are removed even outside of known keywords, because a `$ref` may point anywhere in the schema.
 */
export function withoutFarBounds(holder: JsonObject): JsonObject {
  return holdsFarBound(holder) ? removeFromObject(holder) : holder;
}

function removeFromObject(object: JsonObject): JsonObject {
  const kept = Object.entries(object).filter(([name, field]) => !isFarBound(object, name, field));
  return Object.fromEntries(kept.map(([name, field]) => [name, removeFarBounds(field)]));
}

function removeFarBounds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(removeFarBounds);
  return isJsonObject(value) && !JSON.isRawJSON(value) ? removeFromObject(value) : value;
}

function holdsFarBound(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsFarBound);
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(
    ([name, field]) => isFarBound(value, name, field) || holdsFarBound(field),
  );
}

function isFarBound(schema: JsonObject, name: string, value: unknown): boolean {
  if (MAX_COUNT_KEYWORDS.has(name)) return isBeyond(value, MAX_COUNT);
  return BOUNDS.has(name) && isIntegerSchema(schema) && isBeyond(value, MAX_BOUND);
}

/** Raw JSON is an unsafe integer, which is beyond every limit here. */
function isBeyond(value: unknown, limit: number): boolean {
  return typeof value === 'number' ? Math.abs(value) > limit : JSON.isRawJSON(value);
}

function isIntegerSchema({ type }: JsonObject): boolean {
  return type === 'integer' || (Array.isArray(type) && type.includes('integer'));
}
