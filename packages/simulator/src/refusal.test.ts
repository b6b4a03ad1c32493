import { expect, test } from 'vitest';
import { errorBody, refuseTooLong, RefusedRequest } from './refusal.ts';

const demand = {
  contextLength: 100,
  promptTokens: 60,
  outputTokens: 40,
  outputParameter: 'max_tokens',
} as const;

function refusalOf(change: Partial<typeof demand> | Record<string, number | string>) {
  try {
    refuseTooLong({ ...demand, ...change });
  } catch (error) {
    if (error instanceof RefusedRequest) return error.body.error;
  }
  return undefined;
}

test('a request that fits the context exactly is accepted', () => {
  expect(refusalOf({})).toBeUndefined();
  expect(refusalOf({ promptTokens: 99, outputTokens: 0 })).toBeUndefined();
});

test('a prompt that leaves too little room gets the message of vLLM', () => {
  expect(refusalOf({ promptTokens: 75 })).toEqual({
    message:
      "This model's maximum context length is 100 tokens. However, you requested 40 output tokens " +
      'and your prompt contains at least 61 input tokens, for a total of at least 101 tokens. ' +
      'Please reduce the length of the input prompt or the number of requested output tokens.',
    type: 'BadRequestError',
    param: 'input_tokens',
    code: 400,
  });
});

test('a prompt that fills the context leaves no room for an answer', () => {
  expect(refusalOf({ promptTokens: 100, outputTokens: 0 })?.message).toContain(
    'contains 100 input tokens, for a total of 100 tokens',
  );
});

test('asking for more output than the whole context names the parameter', () => {
  expect(refusalOf({ outputTokens: 101, outputParameter: 'max_completion_tokens' })).toEqual({
    message:
      'max_completion_tokens=101 cannot be greater than max_model_len=max_total_tokens=100. ' +
      'Please request fewer output tokens.',
    type: 'BadRequestError',
    param: 'max_completion_tokens',
    code: 400,
  });
});

test('an error is named after its exception in vLLM, or otherwise after its status', () => {
  expect(errorBody(500, 'x').error.type).toBe('InternalServerError');
  expect(errorBody(503, 'x').error.type).toBe('Service Unavailable');
  expect(errorBody(599, 'x').error.type).toBe('Error');
});
