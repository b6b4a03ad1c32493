import { runtimeCallId } from '@sluice/contracts';
import { needsExactParsing, parseWithExactIntegers } from '../json/exact-integers.ts';
import {
  isJsonObject,
  listOf,
  mayHaveLoneSurrogates,
  objectOf,
  parseJson,
  textOf,
  type JsonObject,
} from '../json/json.ts';
import { callArguments } from './call-arguments.ts';
import { schemaTextOf, type SchemaText } from './schema-text.ts';

/**
 * The parts of the client's request that all dialects use, without nulls and unknown fields. The gateway has validated
 * the request. `stop` is left out because the API accepts it without effect, as are parameters with only one accepted
 * value.
 */
export interface ClientRequest {
  readonly messages: readonly JsonObject[];
  /** Use it only to write JSON: an unsafe integer in a schema is an object made by `JSON.rawJSON`. */
  readonly tools: readonly JsonObject[];
  readonly toolChoice: ToolChoice | undefined;
  /** Use it only to write JSON, like `tools`. */
  readonly responseFormat: JsonObject | undefined;
  /** False if the client accepts at most one call. */
  readonly parallelCalls: boolean;
  /** The schema that the content must match. If `json_schema` has no schema, any JSON matches. */
  readonly promisedSchema: JsonObject | undefined;
  /** The content must be a JSON object. */
  readonly promisesObject: boolean;
  /** The schemas of the arguments of `strict` functions, by the name of the function. */
  readonly strictParameters: ReadonlyMap<string, JsonObject>;
  /** `temperature`, `top_p`, `seed`, the penalties and `parallel_tool_calls`, which all runtimes name alike. */
  readonly sampling: JsonObject;
}

/** `none`, `auto` or `required`, or the function that must be called. */
export type ToolChoice =
  | string
  | { readonly type: 'function'; readonly function: { readonly name: string } };

const SAMPLING_PARAMETERS = [
  'temperature',
  'top_p',
  'seed',
  'frequency_penalty',
  'presence_penalty',
] as const;

export function readClientRequest(body: Uint8Array): ClientRequest {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  const request = readObject(text, parseJson);
  // Integers that a double cannot hold are kept in schemas, so these are read from `exact`.
  const exact = needsExactParsing(text, [request['tools'], request['response_format']])
    ? readObject(text, parseWithExactIntegers)
    : request;
  const messages = listOf(request['messages']).filter(isJsonObject).map(readMessage);
  const tools = listOf(exact['tools']).filter(isJsonObject).map(readTool);
  const parallel = tools.length > 0 ? request['parallel_tool_calls'] : undefined;
  return {
    messages,
    tools,
    toolChoice: tools.length > 0 ? readToolChoice(request['tool_choice']) : undefined,
    responseFormat: readResponseFormat(exact['response_format']),
    parallelCalls: parallel !== false,
    promisedSchema: readPromisedSchema(request['response_format']),
    promisesObject: objectOf(request['response_format'])?.['type'] === 'json_object',
    strictParameters: readStrictParameters(request['tools']),
    sampling: {
      ...pick(request, SAMPLING_PARAMETERS),
      ...readTopP(request['top_p']),
      ...readSeed(request['seed']),
      ...(typeof parallel === 'boolean' ? { parallel_tool_calls: parallel } : {}),
    },
  };
}

/**
 * What the reply must fulfil. The schemas are text because they are sent between threads: the receiving thread would
 * need a second to deserialise a million objects.
 */
export interface PromisedReply extends Pick<
  ClientRequest,
  'toolChoice' | 'parallelCalls' | 'promisesObject'
> {
  readonly promisedSchema: SchemaText | undefined;
  readonly strictParameters: ReadonlyMap<string, SchemaText>;
}

/** The part of the request that is needed while the reply arrives. The prompt is not part of it and can be released. */
export function promisedReply(request: ClientRequest): PromisedReply {
  const { toolChoice, parallelCalls, promisedSchema, promisesObject, strictParameters } = request;
  const texts = [...strictParameters].map(
    ([name, schema]) => [name, schemaTextOf(schema)] as const,
  );
  return {
    toolChoice,
    parallelCalls,
    promisesObject,
    promisedSchema: promisedSchema && schemaTextOf(promisedSchema),
    strictParameters: new Map(texts),
  };
}

/** The function that the client's `tool_choice` names. */
export function forcedFunction({
  toolChoice,
}: Pick<PromisedReply, 'toolChoice'>): string | undefined {
  return typeof toolChoice === 'object' ? toolChoice.function.name : undefined;
}

/** Whether the client requires a call. */
export function demandsCall({ toolChoice }: PromisedReply): boolean {
  return toolChoice === 'required' || typeof toolChoice === 'object';
}

/** Whether the reply may contain calls. */
export function mayCallFunctions({ tools, toolChoice }: ClientRequest): boolean {
  return tools.length > 0 && toolChoice !== 'none';
}

function readObject(text: string, parse: (text: string) => unknown): JsonObject {
  const parsed = parse(text);
  const request = objectOf(mayHaveLoneSurrogates(text) ? wellFormed(parsed) : parsed);
  if (request === undefined) throw new TypeError('the request is not an object');
  return request;
}

/**
 * Replaces lone surrogates by U+FFFD. Clients that truncate text send them, and runtimes refuse or fail on them.
 *
 * Changes lists and objects in place. A copy would need more memory: in a test, objects with large numbers as names
 * made a copy of a body of 4 MiB take gigabytes.
 */
function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) value[index] = wellFormed(item);
    return value;
  }
  if (!isJsonObject(value) || JSON.isRawJSON(value)) return value;
  for (const [name, field] of Object.entries(value)) {
    const newField = wellFormed(field);
    const newName = name.toWellFormed();
    if (newName !== name) Reflect.deleteProperty(value, name);
    if (newName !== name || newField !== field) Reflect.set(value, newName, newField);
  }
  return value;
}

function readMessage(message: JsonObject): JsonObject {
  // `developer` is the newer name of `system`, and chat templates do not know it.
  const role = message['role'] === 'developer' ? 'system' : message['role'];
  const { content } = message;
  const calls = listOf(message['tool_calls']).filter(isJsonObject).map(readCall);
  return {
    role,
    content: Array.isArray(content)
      ? content.filter(isJsonObject).map(readPart)
      : (content ?? null),
    ...pick(message, ['name']),
    ...(role === 'tool' ? { tool_call_id: readCallId(message['tool_call_id']) } : {}),
    ...(role === 'assistant' ? pick(message, ['reasoning_content']) : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
}

function readPart(part: JsonObject): JsonObject {
  return { type: 'text', text: part['text'] };
}

function readCall(call: JsonObject): JsonObject {
  const called = objectOf(call['function']);
  return {
    id: readCallId(call['id']),
    type: 'function',
    function: { name: called?.['name'], arguments: callArguments(called?.['arguments']) },
  };
}

/** Removes the prefix that the worker added to the id of a call. */
function readCallId(id: unknown): unknown {
  return typeof id === 'string' ? runtimeCallId(id) : id;
}

function readTool(tool: JsonObject): JsonObject {
  const definition = objectOf(tool['function']) ?? {};
  return {
    type: 'function',
    function: pick(definition, ['name', 'description', 'parameters', 'strict']),
  };
}

function readStrictParameters(tools: unknown): ReadonlyMap<string, JsonObject> {
  const strict = new Map<string, JsonObject>();
  for (const tool of listOf(tools)) {
    const definition = objectOf(objectOf(tool)?.['function']);
    const name = textOf(definition?.['name']);
    const parameters = objectOf(definition?.['parameters']);
    if (definition?.['strict'] === true && name !== undefined && parameters !== undefined) {
      strict.set(name, parameters);
    }
  }
  return strict;
}

function readToolChoice(value: unknown): ToolChoice | undefined {
  if (typeof value === 'string') return value;
  const name = textOf(objectOf(objectOf(value)?.['function'])?.['name']);
  return name === undefined ? undefined : { type: 'function', function: { name } };
}

function readResponseFormat(value: unknown): JsonObject | undefined {
  const format = objectOf(value);
  if (format === undefined || format['type'] === 'text') return undefined;
  const named = namedSchemaOf(format);
  // `json_schema` without a schema only asks for JSON.
  if (named === undefined || objectOf(named['schema']) === undefined) {
    return { type: 'json_object' };
  }
  return {
    type: 'json_schema',
    json_schema: pick(named, ['name', 'description', 'schema', 'strict']),
  };
}

function readPromisedSchema(value: unknown): JsonObject | undefined {
  const named = namedSchemaOf(objectOf(value));
  return named === undefined ? undefined : (objectOf(named['schema']) ?? {});
}

function namedSchemaOf(format: JsonObject | undefined): JsonObject | undefined {
  return format?.['type'] === 'json_schema' ? objectOf(format['json_schema']) : undefined;
}

/** This is less than the probability of the most likely token, so only that token can be chosen. */
const ONE_TOKEN_TOP_P = 1e-6;

/** The API allows a `top_p` of 0, and some clients send it by default. vLLM and SGLang refuse it. */
function readTopP(topP: unknown): JsonObject {
  return topP === 0 ? { top_p: ONE_TOKEN_TOP_P } : {};
}

/**
 * The API accepts any integer as a seed, and runtimes accept 64 bits. An unsafe integer is replaced by its remainder,
 * so that equal seeds stay equal. The lowest bits would not do, because a double has already lost them.
 */
function readSeed(seed: unknown): JsonObject {
  const isUnsafe = typeof seed === 'number' && !Number.isSafeInteger(seed);
  return isUnsafe ? { seed: seed % Number.MAX_SAFE_INTEGER } : {};
}

/** The named fields that are neither missing nor null. */
function pick(from: JsonObject, names: readonly string[]): JsonObject {
  const picked: Record<string, unknown> = {};
  for (const name of names) {
    const value = Object.hasOwn(from, name) ? from[name] : undefined;
    if (value !== undefined && value !== null) picked[name] = value;
  }
  return picked;
}
