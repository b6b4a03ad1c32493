import { describe, expect, it } from 'vitest';
import { readClientRequest } from './client-request.ts';

const read = (body: unknown) => readClientRequest(Buffer.from(JSON.stringify(body)));
const user = { role: 'user', content: 'Hi' };

describe("reading the client's request", () => {
  it('makes halves of characters whole, wherever they are, and leaves whole ones alone', () => {
    const half = '\ud83d';
    const parameters = { properties: { [half]: { enum: [`${half}a`, 1, null, true] } } };
    const { messages, tools } = read({
      messages: [{ role: 'user', content: [{ type: 'text', text: `x${half}` }] }],
      tools: [{ type: 'function', function: { name: 'f', parameters } }],
    });
    expect(messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'x\ufffd' }] }]);
    expect(tools).toMatchObject([
      {
        function: {
          parameters: { properties: { '\ufffd': { enum: ['\ufffda', 1, null, true] } } },
        },
      },
    ]);
    const escaped = Buffer.from(
      String.raw`{"messages":[{"role":"user","content":"\ud83d\ude00 \\ud800"}]}`,
    );
    expect(readClientRequest(escaped).messages).toEqual([
      { role: 'user', content: String.raw`😀 \ud800` },
    ]);
  });

  it('keeps what has a meaning for a runtime and drops what has none', () => {
    const request = read({
      model: 'm',
      messages: [user],
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0.5,
      top_p: null,
      seed: 7,
      frequency_penalty: 0,
      presence_penalty: -1,
      max_tokens: 10,
      stop: ['x'],
      n: 1,
      logprobs: false,
      logit_bias: {},
      store: false,
      modalities: ['text'],
      verbosity: 'medium',
      service_tier: 'auto',
      reasoning_effort: 'low',
    });
    expect(request).toMatchObject({
      messages: [user],
      tools: [],
      toolChoice: undefined,
      responseFormat: undefined,
    });
    expect(request.sampling).toEqual({
      temperature: 0.5,
      seed: 7,
      frequency_penalty: 0,
      presence_penalty: -1,
    });
  });

  it('gives developers the role that templates know', () => {
    expect(read({ messages: [{ role: 'developer', content: 'Be brief.' }] }).messages).toEqual([
      { role: 'system', content: 'Be brief.' },
    ]);
  });

  it('cleans messages of what clients send back', () => {
    const { messages } = read({
      messages: [
        { role: 'user', name: 'ann', content: [{ type: 'text', text: 'a', cache_control: {} }] },
        {
          role: 'assistant',
          refusal: null,
          audio: null,
          annotations: [],
          reasoning_content: 'r',
          tool_calls: [
            {
              index: 0,
              id: 'c',
              type: 'function',
              function: { name: 'f', arguments: '{}', parsed: {} },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'c', content: 'done' },
        { role: 'assistant', content: 'ok', tool_calls: [], reasoning_content: '' },
      ],
    });
    expect(messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'a' }], name: 'ann' },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'r',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', content: 'done', tool_call_id: 'c' },
      { role: 'assistant', content: 'ok', reasoning_content: '' },
    ]);
  });

  it('passes tools and the choice among them, and nothing about tools without tools', () => {
    const choice = { type: 'function', function: { name: 'f' } };
    const withTools = read({
      messages: [user],
      tools: [
        {
          type: 'function',
          extra: 1,
          function: { name: 'f', description: null, parameters: { $schema: 'x' }, strict: true },
        },
      ],
      tool_choice: choice,
      parallel_tool_calls: false,
    });
    expect(withTools.tools).toEqual([
      { type: 'function', function: { name: 'f', parameters: { $schema: 'x' }, strict: true } },
    ]);
    expect(withTools.toolChoice).toEqual(choice);
    expect(withTools.sampling).toEqual({ parallel_tool_calls: false });
    const without = read({
      messages: [user],
      tools: [],
      tool_choice: 'auto',
      parallel_tool_calls: true,
    });
    expect([without.toolChoice, without.sampling]).toEqual([undefined, {}]);
  });

  it.each([
    [{ type: 'text' }, undefined],
    [{ type: 'json_object', more: 1 }, { type: 'json_object' }],
    [{ type: 'json_schema', json_schema: { name: 'n' } }, { type: 'json_object' }],
    [
      {
        type: 'json_schema',
        json_schema: { name: 'n', strict: null, schema: { type: 'object', title: 't' }, more: 1 },
      },
      { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object', title: 't' } } },
    ],
  ])('reads the response format %j', (format, expected) => {
    expect(read({ messages: [user], response_format: format }).responseFormat).toEqual(expected);
  });

  it('is not fooled by names of the prototype', () => {
    const request = readClientRequest(
      Buffer.from(
        '{"messages":[{"role":"user","content":"x","__proto__":{"name":"evil"}}],"__proto__":{"seed":1}}',
      ),
    );
    expect(request.messages).toEqual([{ role: 'user', content: 'x' }]);
    expect(request.sampling).toEqual({});
  });

  it('refuses what is no object', () => {
    expect(() => read([])).toThrow(TypeError);
    expect(() => readClientRequest(Buffer.from('{'))).toThrow(SyntaxError);
  });
});
