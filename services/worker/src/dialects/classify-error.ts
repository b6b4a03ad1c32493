import { AttemptFailure } from '../attempt/attempt-failure.ts';
import { isJsonObject, objectOf, parseJson, textOf } from '../json/json.ts';

/** Messages of runtimes for a request that exceeds the context. */
const TOO_LONG = [
  /context[ _-]?(length|size|window)/i,
  /maximum (model|sequence) length/i,
  /max_model_len|max_seq_len|max_num_tokens|n_ctx/i,
  /longer than the (maximum|model)/i,
  // SGLang and TensorRT-LLM. Their caches may be smaller than the context.
  /(input|prompt|request).{0,60} exceeds (the )?maximum (allowed length|input length|number of tokens)/i,
  // Older llama.cpp servers and their derivatives.
  /prompt is too (big|long)/i,
  // Some servers subtract the length of the prompt from the context, and refuse the result as `max_tokens` if it is not
  // positive. The message never means a value of the client, because the gateway refuses values below 1.
  /max_tokens must be at least 1, got -?\d/i,
  // SGLang, if `max_tokens` exceeds its context.
  /supports at most \d+ completion tokens/i,
  // TGI (Text Generation Inference).
  /`inputs` must have less than|`max_new_tokens` must be <=/i,
];

/**
 * The message of llama.cpp, with status 500, to all slots when they have filled their shared cache together. Other
 * servers send this message if a prompt does not fit, with status 400 or, in a stream, without a status.
 */
const OUT_OF_SHARED_CACHE = /^Context size has been exceeded\./;

/**
 * Messages of llama.cpp with status 500 if the chat template refuses a request or fails on it, or if no grammar can be
 * made of a schema. For example, some templates refuse two user messages in a row.
 */
const REFUSED_BY_TEMPLATE_OR_GRAMMAR = [
  /While executing \w+ at line \d/,
  /Jinja Exception/,
  /JSON schema (error at|conversion failed)/,
];

/** Whether a 404 mentions a model. If it does not, the address of the runtime is wrong. */
const MODEL_MISSING = /model[ _]|\bmodel\b/i;

const REQUEST_AT_FAULT: ReadonlySet<number> = new Set([400, 413, 422]);

export interface RuntimeErrorAnswer {
  readonly status: number;
  readonly body: string;
  readonly retryAfter?: string | undefined;
}

/**
 * Classifies an error response of the runtime. The text of the response is used only to classify it. It is never logged
 * or sent.
 */
export function classifyErrorAnswer({
  status,
  body,
  retryAfter,
}: RuntimeErrorAnswer): AttemptFailure {
  return classify({ ...describeBody(body), status }, retryAfter);
}

/** Classifies an error inside a stream that began with status 200. */
export function classifyErrorEvent(error: unknown): AttemptFailure {
  return classify(describe(error), undefined);
}

function classify(
  { text, status: stated }: ErrorDescription,
  retryAfter: string | undefined,
): AttemptFailure {
  const status = stated ?? 500;
  if (status === 401 || status === 403) {
    return new AttemptFailure('upstream_credentials_rejected', { retryable: false, status });
  }
  if (status === 429 || status === 503 || (stated === 500 && OUT_OF_SHARED_CACHE.test(text))) {
    const retryAfterMs = delayOf(retryAfter);
    return new AttemptFailure('upstream_busy', {
      retryable: true,
      status,
      retryAfterMs,
    });
  }
  const mayRefuse = status === 500 || REQUEST_AT_FAULT.has(status);
  const refusesPart =
    mayRefuse && REFUSED_BY_TEMPLATE_OR_GRAMMAR.some((pattern) => pattern.test(text));
  // Some versions answer 500 to a prompt that does not fit, so any error status counts. Refusals by a template or
  // grammar are excluded, because they may quote the schema, which may contain any word.
  if (status >= 400 && !refusesPart && TOO_LONG.some((pattern) => pattern.test(text))) {
    return new AttemptFailure('context_length_exceeded', { retryable: false, status });
  }
  // Not retryable: another runtime of the pool would refuse the request too.
  if (REQUEST_AT_FAULT.has(status) || refusesPart) {
    return new AttemptFailure('invalid_request', { retryable: false, status });
  }
  // Another runtime of the pool may have the model.
  if (status === 404 && MODEL_MISSING.test(text)) {
    return new AttemptFailure('upstream_model_missing', { retryable: true, status });
  }
  return new AttemptFailure('upstream_unavailable', { retryable: status >= 500, status });
}

interface ErrorDescription {
  readonly text: string;
  readonly status: number | undefined;
}

function describeBody(body: string): ErrorDescription {
  try {
    return describe(parseJson(body));
  } catch {
    return { text: body, status: undefined };
  }
}

/** `{error: {message, type, code}}`, the same without `error`, `{detail}`, or plain text. */
function describe(value: unknown): ErrorDescription {
  if (!isJsonObject(value)) return { text: textOf(value) ?? '', status: undefined };
  const error = objectOf(value['error']) ?? value;
  const { message, type, code, status_code: statusCode, detail } = error;
  const text = [message, type, code, detail, value['error']]
    .filter((part) => typeof part === 'string')
    .join(' ');
  return { text, status: httpStatus(code) ?? httpStatus(statusCode) };
}

function httpStatus(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && number >= 400 && number <= 599
    ? number
    : undefined;
}

function delayOf(retryAfter: string | undefined): number | undefined {
  const seconds = Number(retryAfter ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds * 1000) : undefined;
}
