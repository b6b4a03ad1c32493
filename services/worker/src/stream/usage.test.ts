import { describe, expect, it } from 'vitest';
import { chunk, run, text } from './reply-builder-fixture.ts';

describe('the usage of a reply', () => {
  it('counts the output if the runtime reports only the input', () => {
    const answer = text(
      chunk({ content: 'a' }),
      chunk({ content: 'b' }, 'stop'),
      'data: {"choices":[],"usage":{"prompt_tokens":7}}\n\n',
    );
    expect(run(answer).usage).toMatchObject({
      prompt_tokens: 7,
      completion_tokens: 2,
      total_tokens: 9,
    });
  });

  it('never has more cached or reasoning tokens than tokens', () => {
    const counted = {
      prompt_tokens: 7,
      completion_tokens: 2,
      prompt_tokens_details: { cached_tokens: 8 },
      completion_tokens_details: { reasoning_tokens: 3 },
    };
    const answer = text(
      chunk({ content: 'a' }, 'stop'),
      `data: ${JSON.stringify({ choices: [], usage: counted })}\n\n`,
    );
    expect(run(answer).usage).toMatchObject({
      prompt_tokens_details: { cached_tokens: 7 },
      completion_tokens_details: { reasoning_tokens: 2 },
    });
  });

  it('counts reasoning and calls as output, and no empty chunks', () => {
    const answer = text(
      chunk({ role: 'assistant' }),
      chunk({ reasoning_content: 'Hm' }),
      chunk({ tool_calls: [{ index: 0, id: 'x', function: { name: 'f', arguments: '{}' } }] }),
      chunk({}, 'tool_calls'),
    );
    expect(run(answer).usage).toMatchObject({ completion_tokens: 2 });
  });

  it('of an empty reply is all zeros', () => {
    expect(run(text(chunk({}, 'stop'))).usage).toMatchObject({
      completion_tokens: 0,
      completion_tokens_details: { reasoning_tokens: 0 },
    });
  });

  it.each([
    ['in the details', { completion_tokens_details: { reasoning_tokens: 7 } }, 7],
    ['outside the details, as SGLang does', { reasoning_tokens: 7 }, 7],
    // Half of the text.
    ['as none although there was some', { completion_tokens_details: { reasoning_tokens: 0 } }, 5],
    ['as none outside the details', { reasoning_tokens: 0 }, 5],
  ])('has the reasoning that the runtime counted %s', (_, counted, expected) => {
    const usage = { prompt_tokens: 7, completion_tokens: 10, ...counted };
    const answer = text(
      chunk({ reasoning_content: 'Hm' }),
      chunk({ content: 'Hi' }, 'stop'),
      `data: ${JSON.stringify({ choices: [], usage })}\n\n`,
    );
    expect(run(answer).usage).toMatchObject({
      completion_tokens_details: { reasoning_tokens: expected },
    });
  });
});
