import { describe, expect, it } from 'vitest';
import { promisedReply, readClientRequest } from '../dialects/client-request.ts';
import { checkReply, findCallFault, type Answer } from './reply-fault.ts';
import type { SchemaVerdict } from './schema-thread.ts';

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
  return checkReply(
    { finishReason: 'stop', calls: [], content: '{}', ...answer },
    {
      promised: promisedReply(readClientRequest(Buffer.from(JSON.stringify(request)))),
      organization: 'acme',
      schemas: { check: async () => verdict },
    },
  );
}

describe('a reply keeps its promises', () => {
  it.each([
    ['if there are none', { messages }, {}],
    ['if it calls the named function', DEMANDING, { calls: [call('weather')] }],
    ['if it calls any function where a call is required', REQUIRING, { calls: [call('weather')] }],
    ['if it matches its schema', FORMATTED, {}],
    ['if it is a JSON object', OBJECT, { content: ' {"a": []}\n' }],
    ['if its strict arguments match', STRICT, { calls: [call('weather')] }],
  ])('%s', async (_, request, answer) => {
    expect(await faultOf(request, answer)).toBeUndefined();
  });

  it('if it was cut short', async () => {
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

describe('a fault is found in a reply', () => {
  it('without a call where one is required', async () => {
    for (const request of [DEMANDING, REQUIRING]) {
      for (const finishReason of ['stop', 'tool_calls'] as const) {
        expect(await faultOf(request, { finishReason })).toBe('tool_choice_differs');
      }
    }
  });

  it.each(['', 'Hello', '[]', 'null', '{"a": 1', `"${'x'.repeat(70_000)}"`])(
    'that must be a JSON object and is %s',
    async (content) => {
      expect(await faultOf(OBJECT, { content }, 'differs')).toBe('not_json_object');
    },
  );

  it('with long arguments that are not JSON', async () => {
    const calls = [call('time', `"${'x'.repeat(70_000)}`)];
    const answer = { finishReason: 'tool_calls', calls } as const;
    expect(await faultOf({ messages }, answer, 'differs')).toBe('arguments_not_json');
    expect(await faultOf({ messages }, answer, 'matches')).toBeUndefined();
  });

  it.each([
    ['differs', 'arguments_differ'],
    ['unchecked', 'schema_unchecked'],
  ] as const)('with strict arguments for which the check returns %s', async (verdict, fault) => {
    const answer = { finishReason: 'tool_calls', calls: [call('time'), call('weather')] } as const;
    expect(await faultOf(STRICT, answer, verdict)).toBe(fault);
    expect(await faultOf({ messages, tools: [weather] }, answer, verdict)).toBeUndefined();
  });

  it('with arguments that are not JSON', async () => {
    const answer = { finishReason: 'tool_calls', calls: [call('a'), call('b', '{')] } as const;
    expect(await faultOf({ messages, tools: [weather] }, answer)).toBe('arguments_not_json');
  });

  it.each([
    ['differs', 'schema_differs'],
    ['unchecked', 'schema_unchecked'],
  ] as const)('for which the schema check returns %s', async (verdict, fault) => {
    expect(await faultOf(FORMATTED, {}, verdict)).toBe(fault);
  });

  it('by its schema only if it has no calls', async () => {
    const answer = { finishReason: 'tool_calls', calls: [call('weather')] } as const;
    expect(await faultOf(FORMATTED, answer, 'differs')).toBeUndefined();
  });
});

describe('a call', () => {
  const tools = [weather, { type: 'function', function: { name: 'time' } }];
  const single = { messages, tools, parallel_tool_calls: false };

  it.each([
    ['of the named function is allowed', DEMANDING, 'weather', 0, undefined],
    ['of the named function is allowed again', DEMANDING, 'weather', 1, undefined],
    ['of another function is a fault', DEMANDING, 'time', 0, 'tool_choice_differs'],
    [
      'is a fault if the choice is none',
      { ...single, tool_choice: 'none' },
      'time',
      0,
      'tool_choice_differs',
    ],
    ['is allowed without parallel calls', single, 'time', 0, undefined],
    ['after another is a fault without parallel calls', single, 'time', 1, 'parallel_calls'],
    ['is allowed if nothing was promised', { messages, tools }, 'time', 5, undefined],
  ])('%s', (_, request, name, earlier, fault) => {
    const promised = promisedReply(readClientRequest(Buffer.from(JSON.stringify(request))));
    expect(findCallFault(promised, name, earlier)).toBe(fault);
  });
});
