import { describe, expect, it } from 'vitest';
import { promisedReply, readClientRequest } from '../dialect/client-request.ts';
import { findCallFault, findReplyFault, type Answer } from './find-reply-fault.ts';
import type { SchemaVerdict } from './schema-thread-messages.ts';

const messages = [{ role: 'user', content: 'hi' }];
const weather = { type: 'function', function: { name: 'weather' } };
const DEMANDING = { messages, tools: [weather], tool_choice: weather };
const FORMATTED = {
  messages,
  response_format: { type: 'json_schema', json_schema: { name: 'any', schema: {} } },
};

const REQUIRING = { messages, tools: [weather], tool_choice: 'required' };
const OBJECT = { messages, response_format: { type: 'json_object' } };
const STRICT = {
  messages,
  tools: [{ type: 'function', function: { name: 'weather', strict: true, parameters: {} } }],
};

function call(name: string, text = '{}'): Answer['calls'][number] {
  return { id: 'call_1', type: 'function', function: { name, arguments: text } };
}

function faultOf(request: object, answer: Partial<Answer>, verdict: SchemaVerdict = 'matches') {
  return findReplyFault(
    { finishReason: 'stop', calls: [], content: '{}', ...answer },
    {
      promised: promisedReply(readClientRequest(Buffer.from(JSON.stringify(request)))),
      organization: 'acme',
      schemas: { check: async () => verdict },
    },
  );
}

describe('an answer keeps its promises', () => {
  it.each([
    ['where nothing was promised', { messages }, {}],
    ['when it calls what it was told to', DEMANDING, { calls: [call('weather')] }],
    ['when it calls what it likes, as it has to', REQUIRING, { calls: [call('weather')] }],
    ['when it matches its schema', FORMATTED, {}],
    ['when it is a JSON object', OBJECT, { content: ' {"a": []}\n' }],
    ['when its strict arguments match', STRICT, { calls: [call('weather')] }],
  ])('%s', async (_, request, answer) => {
    expect(await faultOf(request, answer)).toBeUndefined();
  });

  it('when it was cut short, whatever is missing', async () => {
    for (const finishReason of ['length', 'content_filter'] as const) {
      expect(await faultOf(DEMANDING, { finishReason })).toBeUndefined();
      expect(await faultOf(REQUIRING, { finishReason })).toBeUndefined();
      expect(await faultOf(FORMATTED, { finishReason }, 'differs')).toBeUndefined();
      expect(await faultOf(OBJECT, { finishReason, content: '{' })).toBeUndefined();
      const calls = [call('weather', '{"city":')];
      expect(await faultOf(DEMANDING, { finishReason, calls })).toBeUndefined();
    }
  });
});

describe('a fault is found in an answer', () => {
  it('that has to call and calls nothing', async () => {
    for (const request of [DEMANDING, REQUIRING]) {
      for (const finishReason of ['stop', 'tool_calls'] as const) {
        expect(await faultOf(request, { finishReason })).toBe('tool_choice_differs');
      }
    }
  });

  it.each(['', 'Hello', '[]', 'null', '{"a": 1', `"${'x'.repeat(70_000)}"`])(
    'that has to be a JSON object and is %s',
    async (content) => {
      expect(await faultOf(OBJECT, { content }, 'differs')).toBe('not_json_object');
    },
  );

  it('whose calls have long arguments that are no JSON', async () => {
    const calls = [call('time', `"${'x'.repeat(70_000)}`)];
    const answer = { finishReason: 'tool_calls', calls } as const;
    expect(await faultOf({ messages }, answer, 'differs')).toBe('arguments_not_json');
    expect(await faultOf({ messages }, answer, 'matches')).toBeUndefined();
  });

  it.each([
    ['differs', 'arguments_differ'],
    ['unchecked', 'schema_unchecked'],
  ] as const)('whose strict arguments have a check that says %s', async (verdict, fault) => {
    const answer = { finishReason: 'tool_calls', calls: [call('time'), call('weather')] } as const;
    expect(await faultOf(STRICT, answer, verdict)).toBe(fault);
    expect(await faultOf({ messages, tools: [weather] }, answer, verdict)).toBeUndefined();
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

describe('a call', () => {
  const tools = [weather, { type: 'function', function: { name: 'time' } }];
  const single = { messages, tools, parallel_tool_calls: false };

  it.each([
    ['of the function that was named', DEMANDING, 'weather', 0, undefined],
    ['of it once more', DEMANDING, 'weather', 1, undefined],
    ['of another function', DEMANDING, 'time', 0, 'tool_choice_differs'],
    ['where none is wanted', { ...single, tool_choice: 'none' }, 'time', 0, 'tool_choice_differs'],
    ['where one is wanted', single, 'time', 0, undefined],
    ['after the only one', single, 'time', 1, 'parallel_calls'],
    ['where nothing was promised', { messages, tools }, 'time', 5, undefined],
  ])('%s', (_, request, name, earlier, fault) => {
    const promised = promisedReply(readClientRequest(Buffer.from(JSON.stringify(request))));
    expect(findCallFault(promised, name, earlier)).toBe(fault);
  });
});
