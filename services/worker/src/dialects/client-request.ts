import { runtimeCallId } from '@sluice/contracts';
import { isWorthExactReading, parseWithExactIntegers } from '../json/exact-integers.ts';
import {
  isJsonObject,
  listOf,
  mayHoldHalfCharacters,
  objectOf,
  parseJson,
  textOf,
  type JsonObject,
} from '../json/json.ts';
import { callArguments } from './call-arguments.ts';
import { schemaTextOf, type SchemaText } from './schema-text.ts';

/**
 * The client's request as runtimes get it, whatever their dialect: nulls and fields without a meaning are gone. The
 * gateway has checked it; this only chooses. Parameters that have one accepted value, and `stop`, go no further.
 */
export interface ClientRequest {
  readonly messages: readonly JsonObject[];
  /** To be written, and not looked into: an integer of a schema that no number holds is raw JSON. */
  readonly tools: readonly JsonObject[];
  readonly toolChoice: ToolChoice | undefined;
  /** To be written, and not looked into, as the tools are. */
  readonly responseFormat: JsonObject | undefined;
  /** False if the client wants one call at most. */
  readonly parallelCalls: boolean;
  /** What the content has to match. A schema that was promised and not given matches whatever is JSON. */
  readonly promisedSchema: JsonObject | undefined;
  /** The content has to be a JSON object. */
  readonly promisesObject: boolean;
  /** By the names of `strict` functions: what the arguments of their calls have to match. */
  readonly strictParameters: ReadonlyMap<string, JsonObject>;
  /** `temperature`, `top_p`, `seed`, the penalties and `parallel_tool_calls`: named alike everywhere. */
  readonly sampling: JsonObject;
}

/** One of the interface's words, or the function that has to be called. */
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
  const exact = isWorthExactReading(text, [request['tools'], request['response_format']])
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
 * What the answer is held to. Its schemas are text, because it crosses threads: to build a million objects anew takes
 * a second of the thread that gets them.
 */
export interface PromisedReply extends Pick<
  ClientRequest,
  'toolChoice' | 'parallelCalls' | 'promisesObject'
> {
  readonly promisedSchema: SchemaText | undefined;
  readonly strictParameters: ReadonlyMap<string, SchemaText>;
}

/** A part of the request, so that the prompt is not kept while the answer comes. */
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

/** The function that the client wants called, and no other. */
export function demandedFunction({
  toolChoice,
}: Pick<PromisedReply, 'toolChoice'>): string | undefined {
  return typeof toolChoice === 'object' ? toolChoice.function.name : undefined;
}

/** Whether a reply without a call breaks the client's choice. */
export function demandsCall({ toolChoice }: PromisedReply): boolean {
  return toolChoice === 'required' || typeof toolChoice === 'object';
}

/** Whether the answer may have calls in it. */
export function mayCallFunctions({ tools, toolChoice }: ClientRequest): boolean {
  return tools.length > 0 && toolChoice !== 'none';
}

function readObject(text: string, parse: (text: string) => unknown): JsonObject {
  const parsed = parse(text);
  const request = objectOf(mayHoldHalfCharacters(text) ? wellFormed(parsed) : parsed);
  if (request === undefined) throw new TypeError('the request is not an object');
  return request;
}

/**
 * Clients that cut texts to a length send halves of characters, which runtimes refuse, or break on: they become
 * the character that stands for what cannot be read.
 *
 * Changes lists and objects themselves, which have only just been parsed. In a copy, a member that is named by a
 * number makes room for all numbers below it: a body of 4 MiB took gigabytes.
 */
function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) value[index] = wellFormed(item);
    return value;
  }
  if (!isJsonObject(value) || JSON.isRawJSON(value)) return value;
  for (const [name, field] of Object.entries(value)) {
    const sound = wellFormed(field);
    const soundName = name.toWellFormed();
    if (soundName !== name) Reflect.deleteProperty(value, name);
    if (soundName !== name || sound !== field) Reflect.set(value, soundName, sound);
  }
  return value;
}

function readMessage(message: JsonObject): JsonObject {
  // Chat templates know no `developer`; it is the newer name of the same thing.
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

/** The runtime knows the call by what it called it itself. */
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
  // A format without a schema asks for no more than JSON.
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

/** The likeliest token of any vocabulary has more, so that it is the only one that is left. */
const ONE_TOKEN_TOP_P = 1e-6;

/** The interface begins at 0, vLLM and SGLang above it: they refuse 0, which some clients send unless told otherwise. */
function readTopP(topP: unknown): JsonObject {
  return topP === 0 ? { top_p: ONE_TOKEN_TOP_P } : {};
}

/**
 * Any integer is a seed, and runtimes take 64 bits of one. What a number cannot say exactly is made smaller, the same
 * way each time. Not to its lowest bits, which are the ones that are lost.
 */
function readSeed(seed: unknown): JsonObject {
  const tooLong = typeof seed === 'number' && !Number.isSafeInteger(seed);
  return tooLong ? { seed: seed % Number.MAX_SAFE_INTEGER } : {};
}

/** The named fields that are there and not null. */
function pick(from: JsonObject, names: readonly string[]): JsonObject {
  const picked: Record<string, unknown> = {};
  for (const name of names) {
    const value = Object.hasOwn(from, name) ? from[name] : undefined;
    if (value !== undefined && value !== null) picked[name] = value;
  }
  return picked;
}
