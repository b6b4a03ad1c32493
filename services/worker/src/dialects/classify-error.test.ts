import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { classifyErrorAnswer, classifyErrorEvent } from './classify-error.ts';

const answer = (status: number, body: unknown, retryAfter?: string) =>
  classifyErrorAnswer({
    status,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    retryAfter,
  });

describe("a runtime's error answer", () => {
  it.each([401, 403])('%i means that the platform credentials were rejected', (status) => {
    expect(answer(status, { error: 'Unauthorized' })).toMatchObject({
      reason: 'upstream_credentials_rejected',
      retryable: false,
    });
  });

  it.each([
    [
      'vLLM, requested output',
      {
        error: {
          message:
            "'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's maximum context length is 4096 tokens and your request has 15 input tokens (5000 > 4096 - 15).",
          type: 'BadRequestError',
          param: null,
          code: 400,
        },
      },
    ],
    [
      'older vLLM',
      {
        object: 'error',
        message:
          "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4500 in the messages, 500 in the completion).",
        type: 'BadRequestError',
        code: 400,
      },
    ],
    [
      'vLLM, prompt',
      {
        error: {
          message:
            'The decoder prompt (length 9000) is longer than the maximum model length of 8192.',
          code: 400,
        },
      },
    ],
    [
      'vLLM, prompt without a bound',
      {
        error: {
          message: 'max_tokens must be at least 1, got -7584. (parameter=max_tokens, value=-7584)',
          type: 'BadRequestError',
          param: 'max_tokens',
          code: 400,
        },
      },
    ],
    [
      'llama.cpp',
      {
        error: {
          code: 400,
          message: 'the request exceeds the available context size, try increasing it',
          type: 'exceed_context_size_error',
          n_prompt_tokens: 9000,
          n_ctx: 8192,
        },
      },
    ],
    [
      'SGLang',
      {
        object: 'error',
        message: "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
        code: 400,
      },
    ],
    [
      'SGLang, requested output',
      {
        object: 'error',
        message:
          'max_completion_tokens is too large: 32768.This model supports at most 16384 completion tokens.',
        type: 'BadRequestError',
        param: null,
        code: 400,
      },
    ],
    [
      'SGLang, more than its cache holds',
      {
        object: 'error',
        message:
          'Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens). Use a shorter input or enable --allow-auto-truncate.',
        code: 400,
      },
    ],
    [
      'SGLang, more than the cache of its second half holds',
      {
        object: 'error',
        message: 'Request 5f1c exceeds the maximum number of tokens: 9000 > 8192',
      },
    ],
    [
      'TensorRT-LLM',
      {
        object: 'error',
        message:
          'The sum of prompt length (72417.0), query length (0) should not exceed max_num_tokens (69632)',
        type: 'BadRequestError',
        code: 400,
      },
    ],
    [
      "TensorRT-LLM's engine",
      {
        object: 'error',
        message: 'Prompt length (9000) exceeds maximum input length (8192). Set log level to info',
      },
    ],
    [
      'older llama.cpp',
      { error: { message: 'Input prompt is too big compared to KV size.', code: 500 } },
    ],
    [
      'Ollama',
      { error: { message: 'the prompt is longer than the context length currently available' } },
    ],
    ['LM Studio', { error: 'Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)' }],
    [
      'LMDeploy',
      { message: 'Input length (9000) must be smaller than the model context length (8192).' },
    ],
    [
      "Mistral's servers",
      {
        object: 'error',
        message:
          'Prompt contains 40046 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
        code: '3051',
      },
    ],
    [
      'TGI, requested output without a tokenizer',
      {
        error: 'Input validation error: `max_new_tokens` must be <= 4096. Given: 5000',
        error_type: 'validation',
      },
    ],
    [
      'TGI, prompt',
      {
        error: 'Input validation error: `inputs` must have less than 4095 tokens. Given: 9000',
        error_type: 'validation',
      },
    ],
    [
      'TGI, requested output',
      {
        error:
          'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 6 `inputs` tokens and 5000 `max_new_tokens`',
        error_type: 'validation',
      },
    ],
    ['the convention', { error: { message: 'too long', code: 'context_length_exceeded' } }],
    ['a validation layer', { detail: 'Requested token count exceeds the model context window' }],
  ])('of %s for a request that is too long is recognised', (_, body) => {
    expect(answer(400, body)).toMatchObject({
      reason: 'context_length_exceeded',
      retryable: false,
      status: 400,
    });
  });

  it.each([429, 503])('%i means busy, with its delay', (status) => {
    expect(answer(status, 'Loading model', '1.5')).toMatchObject({
      reason: 'upstream_busy',
      retryable: true,
      retryAfterMs: 1_500,
    });
    expect(answer(status, '').retryAfterMs).toBeUndefined();
    expect(answer(status, '', 'Wed, 21 Oct 2026 07:28:00 GMT').retryAfterMs).toBeUndefined();
  });

  it('500 means busy if the slots of a llama.cpp server have filled their shared cache', () => {
    const error = { code: 500, message: 'Context size has been exceeded.', type: 'server_error' };
    const busy = { reason: 'upstream_busy', retryable: true, status: 500 };
    expect(answer(500, { error })).toMatchObject(busy);
    expect(classifyErrorEvent(error)).toMatchObject(busy);
  });

  it('means too long if a server sends the same text with another status, or without one', () => {
    const message = 'Context size has been exceeded.';
    const tooLong = { reason: 'context_length_exceeded', retryable: false };
    expect(answer(400, { error: message })).toMatchObject(tooLong);
    expect(classifyErrorEvent({ message })).toMatchObject(tooLong);
    expect(classifyErrorEvent({ message, code: 400 })).toMatchObject(tooLong);
  });

  it.each([400, 413, 422])('%i is a fault of the request, and not retryable', (status) => {
    expect(answer(status, { error: { message: 'bad grammar' } })).toMatchObject({
      reason: 'invalid_request',
      retryable: false,
      status,
    });
  });

  it.each([
    ['a chat template refuses the messages', 'Jinja Exception: Conversation roles must alternate'],
    [
      'a chat template stumbles over a tool',
      '\n------------\nWhile executing CallExpression at line 12, column 13 in source:\n' +
        '...\nError: Function is not a bool value',
    ],
    [
      'no grammar can be made of a schema',
      'JSON schema error at #/properties/a: unsupported $ref #, it is recursive',
    ],
    [
      'no grammar can be made of a schema, as older versions say it',
      'JSON schema conversion failed:\nUnrecognized schema: {"not":{}}',
    ],
    [
      'no grammar can be made of a pattern, as older versions say it',
      "JSON schema conversion failed:\nPattern must start with '^' and end with '$'",
    ],
  ])('500 is a fault of the request if %s', (_what, message) => {
    const body = { error: { code: 500, message, type: 'server_error' } };
    expect(answer(500, body)).toMatchObject({ reason: 'invalid_request', retryable: false });
    expect(answer(502, body)).toMatchObject({ reason: 'upstream_unavailable', retryable: true });
  });

  it.each([
    [
      'the path in a schema',
      400,
      'JSON schema error at #/properties/context_length: unsupported $ref #, it is recursive',
    ],
    [
      'the path in a schema, sent with the status of a server error',
      500,
      'JSON schema error at #/properties/context_window/items: schema must be an object',
    ],
    [
      'a schema, in older versions',
      400,
      'JSON schema conversion failed:\nUnrecognized schema: {"description":"Context size to use"}',
    ],
    [
      'the lines of a chat template',
      500,
      'While executing FilterExpression at line 3, column 9 in source:\n{{ context_length }}',
    ],
  ])('does not mean too long because of words that it quotes: %s', (_what, status, message) => {
    expect(answer(status, { error: { code: status, message } })).toMatchObject({
      reason: 'invalid_request',
      retryable: false,
      status,
    });
  });

  it('another 4xx is not retryable', () => {
    expect(answer(404, 'Not Found')).toMatchObject({
      reason: 'upstream_unavailable',
      retryable: false,
    });
  });

  it.each([
    [
      'vLLM',
      { error: { message: 'The model `m` does not exist.', type: 'NotFoundError', code: 404 } },
    ],
    ['the convention', { error: { message: 'No such thing: m', code: 'model_not_found' } }],
    ['Ollama', { error: { message: 'model "m" not found, try pulling it first' } }],
  ])('a 404 of %s about the model means that the model is missing, and is retryable', (_, body) => {
    expect(answer(404, body)).toMatchObject({
      reason: 'upstream_model_missing',
      retryable: true,
      status: 404,
    });
  });

  it.each([500, 502, 504])('%i is retryable', (status) => {
    expect(answer(status, '<html>oops</html>')).toMatchObject({
      reason: 'upstream_unavailable',
      retryable: true,
    });
  });

  it('is never quoted', () => {
    const secret = 'the prompt was: my secret';
    const failure = answer(400, { error: { message: secret } });
    expect(inspect(failure, { depth: 5 })).not.toContain('secret');
  });
});
