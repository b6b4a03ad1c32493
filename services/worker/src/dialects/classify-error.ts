import { AttemptFailure } from '../domain/attempt-failure.ts';
import { isJsonObject, objectOf, parseJson, textOf } from '../json/json.ts';

/** How runtimes say that a request does not fit, in their several versions. */
const TOO_LONG = [
  /context[ _-]?(length|size|window)/i,
  /maximum (model|sequence) length/i,
  /max_model_len|max_seq_len|max_num_tokens|n_ctx/i,
  /longer than the (maximum|model)/i,
  // SGLang and TensorRT-LLM, whose caches may hold less than the context.
  /(input|prompt|request).{0,60} exceeds (the )?maximum (allowed length|input length|number of tokens)/i,
  // Older llama.cpp servers, and those made of them.
  /prompt is too (big|long)/i,
  // What is left of the context beside a longer prompt: nobody asked for less than one.
  /max_tokens must be at least 1, got -?\d/i,
  // SGLang, of a bound beyond its context.
  /supports at most \d+ completion tokens/i,
  // TGI.
  /`inputs` must have less than|`max_new_tokens` must be <=/i,
];

/**
 * llama.cpp says so to all of its slots when they have filled the cache that they share, and 400 to a prompt that does
 * not fit. Other servers say it of the prompt, with 400 or inside a stream without a status.
 */
const OUT_OF_SHARED_CACHE = /^Context size has been exceeded\./;

/**
 * llama.cpp answers 500 to what the model's chat template refuses or stumbles over, as two users' turns in a row or a
 * list in a tool that does not say of what, and to schemas that it can make no grammar of.
 */
const REFUSED_BY_TEMPLATE_OR_GRAMMAR = [
  /While executing \w+ at line \d/,
  /Jinja Exception/,
  /JSON schema (error at|conversion failed)/,
];

/** Of a 404: without a word of a model, the address is wrong. */
const MODEL_MISSING = /model[ _]|\bmodel\b/i;

const REQUEST_AT_FAULT: ReadonlySet<number> = new Set([400, 413, 422]);

export interface RuntimeErrorAnswer {
  readonly status: number;
  readonly body: string;
  readonly retryAfter?: string | undefined;
}

/** What an error answer of the runtime means. Its text decides, and goes no further. */
export function classifyErrorAnswer({
  status,
  body,
  retryAfter,
}: RuntimeErrorAnswer): AttemptFailure {
  return classify({ ...describeBody(body), status }, retryAfter);
}

/** An error that came inside a stream that had begun with status 200. */
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
  const refusesPart = mayRefuse && REFUSED_BY_TEMPLATE_OR_GRAMMAR.some((words) => words.test(text));
  // Some versions answer 500 to a prompt that does not fit. A refusal that quotes the schema may hold any word.
  if (status >= 400 && !refusesPart && TOO_LONG.some((pattern) => pattern.test(text))) {
    return new AttemptFailure('context_length_exceeded', { retryable: false, status });
  }
  // A request that one runtime cannot take, its twin cannot either; nothing is wrong with the runtime.
  if (REQUEST_AT_FAULT.has(status) || refusesPart) {
    return new AttemptFailure('invalid_request', { retryable: false, status });
  }
  // Another runtime of the pool may have it.
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
