import type { SimulatedAnswer } from '@sluice/simulator';
import { describe, expect, test } from 'vitest';
import { judgeReply, type Ending } from './judge-reply.ts';

const expected: SimulatedAnswer = {
  reasoning: 'hm so',
  content: 'one two three',
  toolCalls: [],
  finishReason: 'stop',
  promptTokens: 3,
  completionTokens: 5,
  reasoningTokens: 2,
};
const usage = { prompt_tokens: 3, completion_tokens: 5 };

const chunk = (delta: object, finishReason: string | null = null) =>
  JSON.stringify({ choices: [{ delta, finish_reason: finishReason }], usage: null });
const reasoning = (text: string) => chunk({ reasoning_content: text });
const content = (text: string) => chunk({ content: text });
const role = chunk({ role: 'assistant' });
const finish = chunk({}, 'stop');
const counted = JSON.stringify({ choices: [], usage });
const failure = JSON.stringify({
  error: { message: 'It failed.', type: 'upstream_unavailable_error', param: null, code: null },
});
const thoughts = [role, reasoning('hm'), reasoning(' so')];
const answer = [...thoughts, content('one'), content(' two'), content(' three')];
const end = [finish, counted, '[DONE]'];

const streamOf = (events: readonly string[]) => events.map((data) => `data: ${data}\n\n`).join('');

describe('a stream', () => {
  test.each<[Ending, string, readonly string[], boolean]>([
    ['whole', 'all of it, properly ended', [...answer, ...end], true],
    ['error event', 'a beginning, an error and a cut', [...thoughts, failure], false],
    ['error event', 'every token, an error and a cut', [...answer, failure], false],
    ['broken', 'a beginning and a cut', [...thoughts, content('one')], false],
    ['broken', 'nothing and a cut', [], false],
    ['wrong', 'a beginning that ends properly', thoughts, true],
    ['wrong', 'an error that ends properly', [...thoughts, failure], true],
    ['wrong', 'a part with [DONE]', [...thoughts, content('one'), ...end], true],
    ['wrong', 'a token missing', [...thoughts, content('one'), content(' three')], false],
    ['wrong', 'a token twice', [...thoughts, content('one'), content('one')], false],
    ['wrong', 'content before all of the reasoning', [reasoning('hm'), content('one')], false],
    ['wrong', 'an event after [DONE]', [...answer, ...end, role], true],
    ['wrong', 'two ends', [...answer, finish, ...end], true],
    ['wrong', 'no usage', [...answer, finish, '[DONE]'], true],
    ['wrong', 'no JSON', [...thoughts, '{'], false],
  ])('is %s with %s', (ending, _case, events, complete) => {
    const received = { stream: true, status: 200, complete, failure: undefined };
    expect(judgeReply(expected, { ...received, text: streamOf(events) }).ending).toBe(ending);
  });
});

describe('a reply in one piece', () => {
  const completion = (text: string) =>
    JSON.stringify({
      choices: [{ message: { content: text, reasoning_content: 'hm so' }, finish_reason: 'stop' }],
      usage,
    });

  test.each<[Ending, string, number | undefined, string, boolean]>([
    ['whole', 'all of it', 200, completion('one two three'), true],
    ['wrong', 'another answer', 200, completion('one two'), true],
    ['broken', 'a cut', 200, '{"choices', false],
    ['http error', 'an error body', 503, failure, true],
    ['wrong', 'a status without an error body', 503, '', true],
    ['broken', 'no head', undefined, '', false],
  ])('is %s with %s', (ending, _case, status, text, complete) => {
    const received = { stream: false, status, complete, text, failure: undefined };
    expect(judgeReply(expected, received).ending).toBe(ending);
  });
});
