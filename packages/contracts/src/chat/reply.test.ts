import { describe, expect, it } from 'vitest';
import { ErrorBody } from './error-body.ts';
import { ChatCompletion, ChatCompletionChunk } from './reply.ts';

const usage = {
  prompt_tokens: 3,
  completion_tokens: 2,
  total_tokens: 5,
  prompt_tokens_details: { cached_tokens: 1 },
  completion_tokens_details: { reasoning_tokens: 1 },
};
const message = { role: 'assistant', content: 'Hi.', refusal: null, reasoning_content: 'Greet.' };
const choice = { index: 0, message, logprobs: null, finish_reason: 'stop' };
const completion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [choice],
  usage,
};
const call = { id: 'call_r1', type: 'function', function: { name: 'f', arguments: '{}' } };

const event = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' };
const chunk = (delta: object, finish_reason: string | null = null) => ({
  ...event,
  choices: [{ index: 0, delta, finish_reason }],
  usage: null,
});

describe('a completion', () => {
  it.each([
    completion,
    { ...completion, choices: [{ ...choice, message: { ...message, tool_calls: [call] } }] },
    { ...completion, choices: [{ ...choice, finish_reason: 'length' }] },
    {
      ...completion,
      choices: [{ ...choice, message: { role: 'assistant', content: null, refusal: null } }],
    },
  ])('is of this shape: %j', (reply) => {
    expect(ChatCompletion.parse(reply)).toEqual(reply);
  });

  it.each([
    { choices: [] },
    { choices: [choice, choice] },
    { choices: [{ ...choice, finish_reason: 'function_call' }] },
    { choices: [{ ...choice, message: { ...message, tool_calls: [] } }] },
    { choices: [{ ...choice, logprobs: undefined }] },
    { object: 'text_completion' },
    { usage: { ...usage, prompt_tokens: -1 } },
    { system_fingerprint: 'x' },
  ])('is not of this shape: %j', (change) => {
    expect(ChatCompletion.safeParse({ ...completion, ...change }).success).toBe(false);
  });
});

describe('a chunk', () => {
  it.each([
    chunk({ role: 'assistant' }),
    chunk({ content: 'Hi.' }),
    { ...chunk({ reasoning_content: 'Greet.' }), obfuscation: 'aB3' },
    chunk({ tool_calls: [{ index: 0, ...call, function: { name: 'f', arguments: '' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '{' } }] }),
    chunk({}, 'tool_calls'),
    { ...event, choices: [], usage },
  ])('is of this shape: %j', (sent) => {
    expect(ChatCompletionChunk.parse(sent)).toEqual(sent);
  });

  it.each([
    { ...chunk({ content: 'Hi.' }), usage: undefined },
    chunk({}, 'done'),
    chunk({ text: 'Hi.' }),
    chunk({ tool_calls: [{ function: { arguments: '{' } }] }),
  ])('is not of this shape: %j', (sent) => {
    expect(ChatCompletionChunk.safeParse(sent).success).toBe(false);
  });
});

describe('an error body', () => {
  it('has four fields; param and code may be null', () => {
    const error = { message: 'm', type: 'api_error', param: null, code: null };
    expect(ErrorBody.parse({ error })).toEqual({ error });
    expect(ErrorBody.safeParse({ error: { message: 'm', type: 'api_error' } }).success).toBe(false);
  });
});
