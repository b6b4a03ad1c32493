import { expect, test } from 'vitest';
import { type Answer, messagesOf, openCalls } from './conversation.ts';

const answer: Answer = {
  kind: 'answer',
  id: 2,
  model: 'm',
  state: 'complete',
  reasoning: 'Hm',
  content: '',
  toolCalls: [{ id: 'call_1', name: 'f', arguments: '{}' }],
  finishReason: 'tool_calls',
  tokens: null,
  firstTokenMs: null,
  durationMs: null,
  requestId: null,
  headers: [],
  failure: null,
  schema: null,
};
const question = { kind: 'question', id: 1, text: 'Hi' } as const;

test('An answered call is sent back with its reasoning and its result', () => {
  const [call] = answer.toolCalls;
  if (call === undefined) throw new Error('the answer has a call');
  expect(messagesOf('', [question, answer, { kind: 'result', id: 3, call, text: '42' }])).toEqual([
    { role: 'user', content: 'Hi' },
    {
      role: 'assistant',
      content: null,
      reasoning_content: 'Hm',
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: '42' },
  ]);
});

test('A failed answer is not sent back, and a stopped answer is sent back without its calls', () => {
  const stopped: Answer = { ...answer, state: 'stopped', content: 'Half' };
  expect(messagesOf('Be kind', [question, { ...answer, state: 'failed' }, stopped])).toEqual([
    { role: 'system', content: 'Be kind' },
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Half', reasoning_content: 'Hm' },
  ]);
});

test('Only the calls of a complete last answer wait for results', () => {
  expect(openCalls([question, answer])).toHaveLength(1);
  expect(openCalls([{ ...answer, state: 'stopped' }])).toHaveLength(0);
  expect(openCalls([answer, question])).toHaveLength(0);
});
