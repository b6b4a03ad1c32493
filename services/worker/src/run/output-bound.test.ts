import { describe, expect, it } from 'vitest';
import { decideOutputBound } from './output-bound.ts';

const neverCount = () => Promise.reject(new Error('the prompt was counted'));
const counting = (tokens: number | undefined) => () => Promise.resolve(tokens);

describe('the output bound', () => {
  it('is decided without a count if the bytes show that everything fits', async () => {
    const header = { max_output_tokens: 100, output_bound_requested: true, context_length: 1_000 };
    expect(await decideOutputBound(header, { bodyBytes: 900 }, neverCount)).toEqual({
      bound: 100,
      promptTokens: undefined,
    });
  });

  it('is not changed if the context length is unknown', async () => {
    const header = { max_output_tokens: 100, output_bound_requested: true };
    expect(await decideOutputBound(header, { bodyBytes: 9_999 }, neverCount)).toMatchObject({
      bound: 100,
    });
  });

  it('is refused if the client asked for one token more than fits', async () => {
    const header = { max_output_tokens: 100, output_bound_requested: true, context_length: 1_000 };
    const request = { bodyBytes: 3_000 };
    expect(await decideOutputBound(header, request, counting(900))).toEqual({
      bound: 100,
      promptTokens: 900,
    });
    await expect(decideOutputBound(header, request, counting(901))).rejects.toMatchObject({
      reason: 'context_length_exceeded',
      retryable: false,
    });
  });

  it('is decided by a count if only the prompt is sure to fit', async () => {
    const header = { max_output_tokens: 100, output_bound_requested: true, context_length: 1_000 };
    await expect(
      decideOutputBound(header, { bodyBytes: 950 }, counting(901)),
    ).rejects.toMatchObject({ reason: 'context_length_exceeded' });
  });

  it('is reduced to the rest of the context if the client asked for none', async () => {
    const header = { max_output_tokens: 500, output_bound_requested: false, context_length: 1_000 };
    const request = { bodyBytes: 3_000 };
    expect(await decideOutputBound(header, request, counting(900))).toMatchObject({ bound: 100 });
    expect(await decideOutputBound(header, request, counting(999))).toMatchObject({ bound: 1 });
    await expect(decideOutputBound(header, request, counting(1_000))).rejects.toMatchObject({
      reason: 'context_length_exceeded',
    });
  });

  it('fills the context if neither the client nor the model sets one', async () => {
    const header = { output_bound_requested: false, context_length: 1_000 };
    expect(await decideOutputBound(header, { bodyBytes: 3_000 }, counting(400))).toMatchObject({
      bound: 600,
    });
    expect(await decideOutputBound(header, { bodyBytes: 30 }, neverCount)).toMatchObject({
      bound: undefined,
    });
  });

  it('is not changed if the prompt cannot be counted', async () => {
    const header = { max_output_tokens: 500, output_bound_requested: true, context_length: 1_000 };
    expect(
      await decideOutputBound(header, { bodyBytes: 3_000 }, counting(undefined)),
    ).toMatchObject({ bound: 500 });
  });
});
