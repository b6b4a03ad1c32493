import {
  ServiceError,
  estimateInputTokens,
  exceedsValues,
  promptBytes,
  type CatalogModel,
  type PromptPrefix,
} from '@sluice/contracts';
import {
  type ExaminationFault,
  MODEL_NOT_FOUND,
  MODELS_UNAVAILABLE,
} from '../access/model-faults.ts';
import { conversationHash } from './conversation-hash.ts';
import { promptPrefix } from './prompt-blocks.ts';
import { type JsonObject, isJsonObject } from './schema/fields.ts';
import { validateAgainstModel, outputBound, requestedOutput } from './schema/model-rules.ts';
import type { ChatCompletionRequest } from './schema/request.ts';
import { validateChatRequest } from './schema/validate-request.ts';

export type SchemaParameter = 'response_format' | 'tools';

/** What the gateway needs from a valid request. The body itself is forwarded as bytes. Passed between threads. */
export interface ExaminedRequest {
  readonly model: CatalogModel;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly includeObfuscation: boolean;
  readonly maxOutputTokens: number | undefined;
  /** Whether the client set `maxOutputTokens`, and not the model's defaults. */
  readonly outputBoundRequested: boolean;
  /** The parameter that holds a schema for the answer or for its tool calls. */
  readonly schemaIn: SchemaParameter | undefined;
  readonly reasoningEffort: string | undefined;
  readonly inputTokens: number;
  /** The dispatcher uses it to find workers whose cache holds the beginning of the prompt. */
  readonly prefix: PromptPrefix;
  /** A hash that is equal for all turns of a conversation. 0 if the model has no targets to choose from. */
  readonly conversation: number;
}

interface Refused {
  readonly ok: false;
  readonly fault: ExaminationFault;
}

export type Examination = { readonly ok: true; readonly request: ExaminedRequest } | Refused;

/** The models that the organization may currently use. */
export interface AvailableModels {
  find(id: string): CatalogModel | undefined;
}

type ValidatedBody = { readonly ok: true; readonly request: ChatCompletionRequest } | Refused;

/** Passed between threads. */
export type FoundModel = { readonly ok: true; readonly model: CatalogModel } | Refused;

/**
 * Validates a body: that it is JSON, its parameters, its model, and the limits of that model, in this order. A pure
 * function whose parts may run in different threads.
 */
export function examineRequest(
  body: Uint8Array,
  {
    organization,
    models,
  }: {
    readonly organization: string;
    /** Undefined if the catalog was unreachable. Faults of the request itself are reported first. */
    readonly models: AvailableModels | undefined;
  },
): Examination {
  const validated = parseAndValidate(body);
  if (!validated.ok) return validated;
  const { request } = validated;
  const found = findModel(request.model, models);
  return found.ok ? examineForModel(request, { organization, model: found.model }) : found;
}

export function parseAndValidate(body: Uint8Array): ValidatedBody {
  const parsed = parseRequestBody(body);
  if (!parsed.ok) return refuse(parsed.reason === 'not_an_object' ? NOT_AN_OBJECT : NOT_JSON);
  const verdict = validateChatRequest(parsed.value, body);
  if (!verdict.ok) return refuse(verdict.fault);
  const { request } = verdict;
  return exceedsValueBudget(body, request) ? refuse(TOO_EXPENSIVE_TO_READ) : { ok: true, request };
}

export function findModel(id: string, models: AvailableModels | undefined): FoundModel {
  if (models === undefined) return refuse(MODELS_UNAVAILABLE);
  const model = models.find(id);
  return model === undefined ? refuse(MODEL_NOT_FOUND) : { ok: true, model };
}

export function examineForModel(
  request: ChatCompletionRequest,
  named: { readonly organization: string; readonly model: CatalogModel },
): Examination {
  const fault = validateAgainstModel(request, named.model);
  return fault === undefined ? { ok: true, request: summarize(request, named) } : refuse(fault);
}

/**
 * How many JSON values a body may have besides those of its prompt. No token limit charges for these values, and while
 * a worker parses them, its other streams pause. The largest schema that the OpenAI API allows, with 5,000 properties,
 * has two thirds of this number.
 */
const FREE_VALUES = 32_768;

/** Each byte of the prompt allows one more value, so no prompt exceeds the budget by itself. */
function exceedsValueBudget(body: Uint8Array, request: ChatCompletionRequest): boolean {
  return body.length > FREE_VALUES && exceedsValues(body, FREE_VALUES + promptBytes(request));
}

/** Converts a fault to an error that can be thrown. */
export function errorOfFault({ code, message, param }: ExaminationFault): ServiceError {
  return new ServiceError(code, message, param === null ? {} : { param });
}

const NOT_JSON: ExaminationFault = {
  code: 'malformed_body',
  message: 'The request body is not valid JSON in UTF-8.',
  param: null,
};

/** The body is JSON but not an object, so it lacks the first required parameter. */
const NOT_AN_OBJECT: ExaminationFault = {
  code: 'missing_required_parameter',
  message: "The request body must be a JSON object. Missing required parameter: 'model'.",
  param: 'model',
};

/** It counts as an error of the client, because ordinary bodies take a fraction of the limits for time and memory. */
export const TOO_EXPENSIVE_TO_READ: ExaminationFault = {
  code: 'invalid_value',
  message: 'The request body takes too much work to read. Send a simpler one.',
  param: null,
};

function refuse(fault: ExaminationFault): Refused {
  return { ok: false, fault };
}

function summarize(
  request: ChatCompletionRequest,
  { model, organization }: { model: CatalogModel; organization: string },
): ExaminedRequest {
  const options = request.stream_options;
  const inputTokens = estimateInputTokens(request, model.input_token_ratio);
  return {
    model,
    stream: request.stream === true,
    includeUsage: options?.include_usage === true,
    includeObfuscation: options?.include_obfuscation !== false,
    maxOutputTokens: outputBound(request, model),
    outputBoundRequested: requestedOutput(request) !== undefined,
    schemaIn: schemaParameterOf(request),
    reasoningEffort: request.reasoning_effort ?? model.reasoning?.default_effort,
    inputTokens,
    prefix: promptPrefix(request, { organization, inputTokens }),
    conversation: model.targets === undefined ? 0 : conversationHash(request, organization),
  };
}

function schemaParameterOf({
  response_format: format,
  tools,
}: ChatCompletionRequest): SchemaParameter | undefined {
  if (format?.type === 'json_schema') return 'response_format';
  return tools === undefined ? undefined : 'tools';
}

export type ParsedBody =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly reason: 'not_utf8' | 'not_json' | 'not_an_object' };

/**
 * Keeps a byte order mark, so that JSON.parse rejects it. Senders must not add one:
 * https://www.rfc-editor.org/rfc/rfc8259#section-8.1
 */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses a body as a JSON object of any depth. JSON.parse accepts any depth, but recursive code after it may not. The
 * last of repeated keys wins. The error of the parser is dropped: it quotes the text, which may be a prompt.
 */
export function parseRequestBody(bytes: Uint8Array): ParsedBody {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return { ok: false, reason: 'not_utf8' };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, reason: 'not_json' };
  }
  return isJsonObject(value) ? { ok: true, value } : { ok: false, reason: 'not_an_object' };
}
