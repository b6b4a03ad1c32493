import { describe, expect, it } from 'vitest';
import { Answer, AnswerError } from './answer.ts';

function answerOf(chunks: readonly object[]) {
  const shown: [kind: string, text: string][] = [];
  const answer = new Answer({
    reasoning: (text) => shown.push(['reasoning', text]),
    content: (text) => shown.push(['content', text]),
  });
  for (const chunk of chunks) answer.take(JSON.stringify(chunk));
  return { answer, shown };
}

const delta = (fields: object, finish: string | null = null) => ({
  id: 'chatcmpl-1',
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
  usage: null,
  obfuscation: 'abc',
});

describe('an answer', () => {
  it('is shown as it arrives, and is sent back unchanged', () => {
    const { answer, shown } = answerOf([
      delta({ role: 'assistant' }),
      delta({ reasoning_content: 'Let me ' }),
      delta({ reasoning_content: 'see.' }),
      delta({ content: 'Hello ' }),
      delta({ content: 'there' }),
      delta({}, 'stop'),
      {
        choices: [],
        usage: {
          prompt_tokens: 9,
          completion_tokens: 4,
          total_tokens: 13,
          prompt_tokens_details: { cached_tokens: 3 },
          completion_tokens_details: { reasoning_tokens: 2 },
        },
      },
    ]);
    expect(shown).toEqual([
      ['reasoning', 'Let me '],
      ['reasoning', 'see.'],
      ['content', 'Hello '],
      ['content', 'there'],
    ]);
    expect(answer.message).toEqual({
      role: 'assistant',
      content: 'Hello there',
      reasoning_content: 'Let me see.',
    });
    expect(answer.usage).toEqual({ input: 9, cached: 3, output: 4, reasoning: 2 });
    expect(answer.finishReason).toBe('stop');
  });

  it('may have calls, which are assembled from fragments', () => {
    const fragment = (index: number, fields: object) =>
      delta({ tool_calls: [{ index, ...fields }] });
    const { answer } = answerOf([
      fragment(0, { id: 'a', type: 'function', function: { name: 'look', arguments: '' } }),
      fragment(0, { function: { arguments: '{"at":' } }),
      fragment(1, { id: 'b', type: 'function', function: { name: 'wait', arguments: '{}' } }),
      fragment(0, { function: { arguments: '1}' } }),
      delta({}, 'tool_calls'),
    ]);
    expect(answer.message).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'look', arguments: '{"at":1}' } },
        { id: 'b', type: 'function', function: { name: 'wait', arguments: '{}' } },
      ],
    });
  });

  it('may have text and a call, whose name may arrive without arguments', () => {
    const { answer } = answerOf([
      delta({ content: 'Let me look.' }),
      delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'look' } }] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] }),
    ]);
    expect(answer.message).toMatchObject({
      content: 'Let me look.',
      tool_calls: [{ function: { name: 'look', arguments: '{}' } }],
    });
  });

  it('that fails before its end has the error message of the service', () => {
    const failure = { error: { message: 'It broke.', type: 'api_error', param: null, code: null } };
    expect(() => answerOf([delta({ content: 'a' }), failure])).toThrow(
      new AnswerError('It broke.'),
    );
  });
});
