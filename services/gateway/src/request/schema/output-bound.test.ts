import { describe, expect, it } from 'vitest';
import { outputBound, requestedOutput } from './output-bound.ts';

const MOST = Number.MAX_SAFE_INTEGER;
const announced = {
  context_length: 1000,
  max_output_tokens: 500,
  default_parameters: { max_tokens: 200 },
};

describe('the bound of generated tokens', () => {
  it.each([
    ['what the client asked for', { max_tokens: 300 }, announced, 300],
    ['what it asked for by the newer name', { max_completion_tokens: 300 }, announced, 300],
    ['as large as a job can say, when it asked for more', { max_tokens: 1e300 }, {}, MOST],
    ['what it asked for, beyond the context too', { max_tokens: 2000 }, announced, 2000],
    ["else the model's default", {}, announced, 200],
    ['else the most it can generate', {}, { context_length: 1000, max_output_tokens: 500 }, 500],
    ['cut to leave room for a prompt', {}, { context_length: 500, max_output_tokens: 500 }, 499],
    ['at least one', {}, { context_length: 1, max_output_tokens: 500 }, 1],
    ['uncut when no context length is announced', {}, { max_output_tokens: 500 }, 500],
    ['open when nothing is announced', {}, { context_length: 1000 }, undefined],
  ])('is %s', (_title, request, model, bound) => {
    expect(outputBound(request, model)).toBe(bound);
  });
});

describe('the output a client asked for', () => {
  it('is told with the parameter that asked', () => {
    expect(requestedOutput({ max_tokens: 3 })).toEqual({ parameter: 'max_tokens', tokens: 3 });
    expect(requestedOutput({ max_completion_tokens: 4 })).toEqual({
      parameter: 'max_completion_tokens',
      tokens: 4,
    });
    expect(requestedOutput({})).toBeUndefined();
  });
});
