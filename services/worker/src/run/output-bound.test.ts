import { describe, expect, it } from 'vitest';
import { decideOutputBound } from './output-bound.ts';

const neverCount = () => Promise.reject(new Error('counted in vain'));
const counting = (tokens: number | undefined) => () => Promise.resolve(tokens);

describe('how much may be generated', () => {
  it('is not counted when the bytes alone show that it fits', async () => {
    const header = { max_output_tokens: 100, output_bound_requested: true, context_length: 1_000 };
    expect(await decideOutputBound(header, { bodyBytes: 900 }, neverCount)).toEqual({
      bound: 100,
      promptTokens: undefined,
    });
  });

  it('is left alone when the context is not known', async () => {
    const header = { max_output_tokens: 100, output_bound_requested: true };
    expect(await decideOutputBound(header, { bodyBytes: 9_999 }, neverCount)).toMatchObject({
      bound: 100,
    });
  });

  it('is refused when the client asked for more than is left, to the token', async () => {
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

  it('is counted when only the prompt is sure to fit', async () => {
    const header = { max_output_tokens: 100, output_bound_requested: true, context_length: 1_000 };
    await expect(
      decideOutputBound(header, { bodyBytes: 950 }, counting(901)),
    ).rejects.toMatchObject({ reason: 'context_length_exceeded' });
  });

  it('is cut to what is left when the client asked for nothing', async () => {
    const header = { max_output_tokens: 500, output_bound_requested: false, context_length: 1_000 };
    const request = { bodyBytes: 3_000 };
    expect(await decideOutputBound(header, request, counting(900))).toMatchObject({ bound: 100 });
    expect(await decideOutputBound(header, request, counting(999))).toMatchObject({ bound: 1 });
    await expect(decideOutputBound(header, request, counting(1_000))).rejects.toMatchObject({
      reason: 'context_length_exceeded',
    });
  });

  it('fills the context when neither client nor model sets a bound', async () => {
    const header = { output_bound_requested: false, context_length: 1_000 };
    expect(await decideOutputBound(header, { bodyBytes: 3_000 }, counting(400))).toMatchObject({
      bound: 600,
    });
    expect(await decideOutputBound(header, { bodyBytes: 30 }, neverCount)).toMatchObject({
      bound: undefined,
    });
  });

  it('is for the runtime to refuse when it cannot be counted', async () => {
    const header = { max_output_tokens: 500, output_bound_requested: true, context_length: 1_000 };
    expect(
      await decideOutputBound(header, { bodyBytes: 3_000 }, counting(undefined)),
    ).toMatchObject({ bound: 500 });
  });
});
