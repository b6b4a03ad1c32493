import { describe, expect, it } from 'vitest';
import { readClientRequest } from '../dialect/client-request.ts';
import { findReplyFault, type Answer } from './find-reply-fault.ts';
import type { SchemaVerdict } from './schema-thread-messages.ts';

const messages = [{ role: 'user', content: 'hi' }];
const weather = { type: 'function', function: { name: 'weather' } };
const DEMANDING = { messages, tools: [weather], tool_choice: weather };
const FORMATTED = {
  messages,
  response_format: { type: 'json_schema', json_schema: { name: 'any', schema: {} } },
};

function call(name: string, text = '{}'): Answer['calls'][number] {
  return { id: 'call_1', type: 'function', function: { name, arguments: text } };
}

function faultOf(request: object, answer: Partial<Answer>, verdict: SchemaVerdict = 'matches') {
  return findReplyFault(
    { finishReason: 'stop', calls: [], content: '{}', ...answer },
    {
      promised: readClientRequest(Buffer.from(JSON.stringify(request))),
      organization: 'acme',
      schemas: { check: async () => verdict },
    },
  );
}

describe('an answer keeps its promises', () => {
  it.each([
    ['where nothing was promised', { messages }, {}],
    ['when it calls what it was told to', DEMANDING, { calls: [call('weather')] }],
    ['when it matches its schema', FORMATTED, {}],
  ])('%s', async (_, request, answer) => {
    expect(await faultOf(request, answer)).toBeUndefined();
  });

  it('when it was cut short, whatever is missing', async () => {
    for (const finishReason of ['length', 'content_filter'] as const) {
      expect(await faultOf(DEMANDING, { finishReason })).toBeUndefined();
      expect(await faultOf(FORMATTED, { finishReason }, 'differs')).toBeUndefined();
      const calls = [call('weather', '{"city":')];
      expect(await faultOf(DEMANDING, { finishReason, calls })).toBeUndefined();
    }
  });
});

describe('a fault is found in an answer', () => {
  it.each([
    ['calls nothing', []],
    ['calls another function', [call('time')]],
    ['calls another function as well', [call('weather'), call('time')]],
  ])('that was told what to call and %s', async (_, calls) => {
    for (const finishReason of ['stop', 'tool_calls'] as const) {
      expect(await faultOf(DEMANDING, { finishReason, calls })).toBe('tool_choice_differs');
    }
  });

  it('whose calls have arguments that are no JSON', async () => {
    const answer = { finishReason: 'tool_calls', calls: [call('a'), call('b', '{')] } as const;
    expect(await faultOf({ messages, tools: [weather] }, answer)).toBe('arguments_not_json');
  });

  it.each([
    ['differs', 'schema_differs'],
    ['unchecked', 'schema_unchecked'],
  ] as const)('whose schema check says %s', async (verdict, fault) => {
    expect(await faultOf(FORMATTED, {}, verdict)).toBe(fault);
  });

  it('by its schema only where it ends in words, not in calls', async () => {
    const answer = { finishReason: 'tool_calls', calls: [call('weather')] } as const;
    expect(await faultOf(FORMATTED, answer, 'differs')).toBeUndefined();
  });
});
