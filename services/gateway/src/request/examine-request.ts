import { crc32 } from 'node:zlib';
import {
  ServiceError,
  estimateInputTokens,
  exceedsValues,
  outputBound,
  parseRequestBody,
  promptBytes,
  requestedOutput,
  validateAgainstModel,
  validateChatRequest,
  type CatalogModel,
  type ChatCompletionRequest,
  type ErrorCode,
} from '@sluice/contracts';

export type SchemaParameter = 'response_format' | 'tools';

/** What the gateway needs of a valid request; its body travels on as bytes. Crosses threads. */
export interface ExaminedRequest {
  readonly model: CatalogModel;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly includeObfuscation: boolean;
  readonly maxOutputTokens: number | undefined;
  readonly outputBoundRequested: boolean;
  /** Where the client gave a schema that its answer must follow. */
  readonly schemaIn: SchemaParameter | undefined;
  readonly reasoningEffort: string | undefined;
  readonly inputTokens: number;
  /** Equal for the turns of one conversation: where its cache is warm. */
  readonly affinity: number;
}

export interface ExaminationFault {
  readonly code: ErrorCode;
  readonly message: string;
  readonly param: string | null;
}

interface Refused {
  readonly ok: false;
  readonly fault: ExaminationFault;
}

export type Examination = { readonly ok: true; readonly request: ExaminedRequest } | Refused;

/** The models that the organization may use now. */
export interface AvailableModels {
  find(id: string): CatalogModel | undefined;
}

type ReadBody = { readonly ok: true; readonly request: ChatCompletionRequest } | Refused;

/** Crosses threads. */
export type FoundModel = { readonly ok: true; readonly model: CatalogModel } | Refused;

/**
 * Everything that is checked of a body once it is here: that it is JSON, its parameters, its model, and what that model
 * takes, in this order. Pure; its parts may run in different threads.
 */
export function examineRequest(
  body: Uint8Array,
  {
    organization,
    models,
  }: {
    readonly organization: string;
    /** Undefined when the catalog could not be asked: that is told after the request's own faults. */
    readonly models: AvailableModels | undefined;
  },
): Examination {
  const read = readBody(body);
  if (!read.ok) return read;
  const found = findModel(read.request.model, models);
  return found.ok ? examineForModel(read.request, { organization, model: found.model }) : found;
}

export function readBody(body: Uint8Array): ReadBody {
  const parsed = parseRequestBody(body);
  if (!parsed.ok) return refuse(parsed.reason === 'not_an_object' ? NOT_AN_OBJECT : NOT_JSON);
  const verdict = validateChatRequest(parsed.value, body);
  if (!verdict.ok) return refuse(verdict.fault);
  const { request } = verdict;
  return isBulky(body, request) ? refuse(TOO_MUCH_WORK) : { ok: true, request };
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
 * What a worker has to read beside the prompt is charged to nobody, and while it reads, no stream of others goes on.
 * A schema of 5,000 properties, the most that clients of the convention may send, has two thirds of this.
 */
const FREE_VALUES = 32_768;

/** No prompt is bulky by itself: it has more bytes than values. */
function isBulky(body: Uint8Array, request: ChatCompletionRequest): boolean {
  return body.length > FREE_VALUES && exceedsValues(body, FREE_VALUES + promptBytes(request));
}

/** A fault as it is thrown. */
export function errorOfFault({ code, message, param }: ExaminationFault): ServiceError {
  return new ServiceError(code, message, param === null ? {} : { param });
}

export const MODEL_NOT_FOUND: ExaminationFault = {
  code: 'model_not_found',
  message: 'The model does not exist, or it is not available to the organization.',
  param: 'model',
};

const NOT_JSON: ExaminationFault = {
  code: 'malformed_body',
  message: 'The request body is not valid JSON in UTF-8.',
  param: null,
};

/** It is JSON, and lacks what every request has. */
const NOT_AN_OBJECT: ExaminationFault = {
  code: 'missing_required_parameter',
  message: "The request body must be a JSON object. Missing required parameter: 'model'.",
  param: 'model',
};

/** The body is to blame for it: all others are read in a fraction of the time and the memory. */
export const TOO_MUCH_WORK: ExaminationFault = {
  code: 'invalid_value',
  message: 'The request body takes too much work to read. Send a simpler one.',
  param: null,
};

export const MODELS_UNAVAILABLE: ExaminationFault = {
  code: 'model_availability_unavailable',
  message: 'The available models cannot be checked at the moment. Please retry.',
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
  return {
    model,
    stream: request.stream === true,
    includeUsage: options?.include_usage === true,
    includeObfuscation: options?.include_obfuscation !== false,
    maxOutputTokens: outputBound(request, model),
    outputBoundRequested: requestedOutput(request) !== undefined,
    schemaIn: schemaParameterOf(request),
    reasoningEffort: request.reasoning_effort ?? model.reasoning?.default_effort,
    inputTokens: estimateInputTokens(request, model.input_token_ratio),
    affinity: affinityOf(request, organization),
  };
}

function schemaParameterOf({
  response_format: format,
  tools,
}: ChatCompletionRequest): SchemaParameter | undefined {
  if (format?.type === 'json_schema') return 'response_format';
  return tools === undefined ? undefined : 'tools';
}

/** What stays the same from turn to turn: the instructions and the first thing the user said. */
function affinityOf({ model, messages }: ChatCompletionRequest, organization: string): number {
  // Nothing depends on two conversations never meeting: a checksum is a sixth of a digest's cost.
  let sum = crc32(model, crc32(organization));
  for (const { role, content } of messages) {
    if (role !== 'system' && role !== 'developer' && role !== 'user') continue;
    sum = crc32(role, sum);
    if (typeof content === 'string') sum = crc32(content, sum);
    else for (const { text } of content) sum = crc32(text, sum);
    if (role === 'user') break;
  }
  return sum;
}
