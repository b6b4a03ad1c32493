import { describe, expect, it } from 'vitest';
import { outputBound, requestedOutput } from './model-rules.ts';

const MOST = Number.MAX_SAFE_INTEGER;
const announced = {
  context_length: 1000,
  max_output_tokens: 500,
  default_parameters: { max_tokens: 200 },
};

describe('the bound of generated tokens', () => {
  it.each([
    ['the requested number', { max_tokens: 300 }, announced, 300],
    [
      'the number requested as max_completion_tokens',
      { max_completion_tokens: 300 },
      announced,
      300,
    ],
    ['reduced to the largest number that a job can hold', { max_tokens: 1e300 }, {}, MOST],
    ['the requested number, even beyond the context', { max_tokens: 2000 }, announced, 2000],
    ["else the model's default", {}, announced, 200],
    [
      'by default the maximum output of the model',
      {},
      { context_length: 1000, max_output_tokens: 500 },
      500,
    ],
    [
      'reduced to leave room for a prompt',
      {},
      { context_length: 500, max_output_tokens: 500 },
      499,
    ],
    ['at least one', {}, { context_length: 1, max_output_tokens: 500 }, 1],
    ['not reduced for a model without a context length', {}, { max_output_tokens: 500 }, 500],
    ['undefined for a model without a maximum output', {}, { context_length: 1000 }, undefined],
  ])('is %s', (_title, request, model, bound) => {
    expect(outputBound(request, model)).toBe(bound);
  });
});

describe('the requested output', () => {
  it('is returned with its parameter', () => {
    expect(requestedOutput({ max_tokens: 3 })).toEqual({ parameter: 'max_tokens', tokens: 3 });
    expect(requestedOutput({ max_completion_tokens: 4 })).toEqual({
      parameter: 'max_completion_tokens',
      tokens: 4,
    });
    expect(requestedOutput({})).toBeUndefined();
  });
});
