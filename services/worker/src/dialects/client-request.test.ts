import { describe, expect, it } from 'vitest';
import { forcedFunction, mayCallFunctions, readClientRequest } from './client-request.ts';

const read = (body: unknown) => readClientRequest(Buffer.from(JSON.stringify(body)));
const user = { role: 'user', content: 'Hi' };

describe("reading the client's request", () => {
  it('replaces lone surrogates everywhere, and keeps surrogate pairs', () => {
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

  it('keeps the fields that runtimes use and drops all others', () => {
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

  it('changes the role developer to system', () => {
    expect(read({ messages: [{ role: 'developer', content: 'Be brief.' }] }).messages).toEqual([
      { role: 'system', content: 'Be brief.' },
    ]);
  });

  it('removes the fields of replies that clients send back in messages', () => {
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
        {
          role: 'assistant',
          content: 'ok',
          tool_calls: [],
          tool_call_id: '',
          reasoning_content: '',
        },
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

  it('restores the call ids of the runtime', () => {
    const ids = ['call_rfunctions.f:0', 'call_na1B2c3D4e', 'toolu_1'];
    const { messages } = read({
      messages: [
        {
          role: 'assistant',
          tool_calls: ids.map((id) => ({ id, function: { name: 'f', arguments: '{}' } })),
        },
        ...ids.map((id) => ({ role: 'tool', tool_call_id: id, content: 'done' })),
      ],
    });
    const known = ['functions.f:0', 'a1B2c3D4e', 'toolu_1'];
    expect(messages).toMatchObject([
      { tool_calls: known.map((id) => ({ id })) },
      ...known.map((id) => ({ role: 'tool', tool_call_id: id })),
    ]);
  });

  it.each([
    ['{"a": 1}', '{"a": 1}'],
    ['', '{}'],
    [' \n', '{}'],
    ['{"a": "cut o', String.raw`{"arguments":"{\"a\": \"cut o"}`],
    ["{'a': 1}", `{"arguments":"{'a': 1}"}`],
    ['[1]', '{"arguments":"[1]"}'],
    ['null', '{"arguments":"null"}'],
  ])('sends the arguments %j of an earlier call as an object', (text, expected) => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: text } };
    const { messages } = read({ messages: [{ role: 'assistant', tool_calls: [call] }] });
    expect(messages).toMatchObject([{ tool_calls: [{ function: { arguments: expected } }] }]);
  });

  it('passes tools and their choice, and no choice without tools', () => {
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
    expect(mayCallFunctions(without)).toBe(false);
  });

  it.each([
    ['none', 'none', undefined],
    ['auto', 'auto', undefined],
    ['required', 'required', undefined],
    [null, undefined, undefined],
    [
      { type: 'function', function: { name: 'f', strict: true }, other: 1 },
      { type: 'function', function: { name: 'f' } },
      'f',
    ],
  ])('reads the choice %j', (choice, expected, demanded) => {
    const request = read({
      messages: [user],
      tools: [{ type: 'function', function: { name: 'f' } }],
      tool_choice: choice,
    });
    expect(request.toolChoice).toEqual(expected);
    expect(forcedFunction(request)).toBe(demanded);
    expect(mayCallFunctions(request)).toBe(choice !== 'none');
  });

  it.each([
    ['0', 1e-6],
    ['-0.0', 1e-6],
    ['1e-400', 1e-6],
    ['1e-9', 1e-9],
    ['1', 1],
  ])('changes a top_p of %s to one that runtimes accept', (literal, expected) => {
    const body = `{"messages":[{"role":"user","content":"Hi"}],"top_p":${literal}}`;
    expect(readClientRequest(Buffer.from(body)).sampling).toEqual({ top_p: expected });
  });

  it.each([
    ['7', 7],
    ['-0', -0],
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    // 2 ** 63 modulo 2 ** 53 - 1.
    ['9223372036854775807', 1024],
    ['-9223372036854775808', -1024],
    ['1e300', 1e300 % Number.MAX_SAFE_INTEGER],
  ])('changes the seed %s to one that fits into 64 bits', (literal, expected) => {
    const body = `{"messages":[{"role":"user","content":"Hi"}],"seed":${literal}}`;
    const { seed } = readClientRequest(Buffer.from(body)).sampling;
    expect(seed).toBe(expected);
    expect(Number.isSafeInteger(seed)).toBe(true);
  });

  it.each([
    [{ type: 'text' }, undefined, undefined],
    [{ type: 'json_object', more: 1 }, { type: 'json_object' }, undefined],
    [
      { type: 'json_object', json_schema: { name: 'n', schema: { type: 'object' } } },
      { type: 'json_object' },
      undefined,
    ],
    [{ type: 'json_schema', json_schema: { name: 'n' } }, { type: 'json_object' }, {}],
    [
      { type: 'json_schema', json_schema: { name: 'n', schema: null } },
      { type: 'json_object' },
      {},
    ],
    [
      {
        type: 'json_schema',
        json_schema: { name: 'n', strict: null, schema: { type: 'object', title: 't' }, more: 1 },
      },
      { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object', title: 't' } } },
      { type: 'object', title: 't' },
    ],
  ])('reads the response format %j, and what it promises', (format, expected, promised) => {
    const request = read({ messages: [user], response_format: format });
    expect(request.responseFormat).toEqual(expected);
    expect(request.promisedSchema).toEqual(promised);
    expect(request.promisesObject).toBe(format.type === 'json_object');
  });

  it('promises the parameters of strict functions that have parameters', () => {
    const parameters = { type: 'object', properties: {} };
    const functions = [
      { name: 'strict', strict: true, parameters },
      { name: 'lenient', strict: false, parameters },
      { name: 'unset', strict: null, parameters },
      { name: 'free', strict: true },
    ];
    const tools = functions.map((definition) => ({ type: 'function', function: definition }));
    const { strictParameters } = read({ messages: [user], tools });
    expect([...strictParameters]).toEqual([['strict', parameters]]);
  });

  it('promises a schema in which long integers are numbers, so that it can be checked', () => {
    const schema = '{"maximum":9223372036854775807}';
    const { promisedSchema, responseFormat } = readClientRequest(
      Buffer.from(
        `{"messages":[],"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":${schema}}}}`,
      ),
    );
    expect(structuredClone(promisedSchema)).toEqual({ maximum: 2 ** 63 });
    expect(JSON.stringify(responseFormat)).toContain(schema);
  });

  it('replaces lone surrogates in requests with long integers', () => {
    const { tools } = readClientRequest(
      Buffer.from(
        String.raw`{"messages":[],"tools":[{"function":{"name":"f","parameters":{"title":"\ud83d","minimum":-9223372036854775808}}}]}`,
      ),
    );
    expect(JSON.stringify(tools)).toContain('{"title":"\ufffd","minimum":-9223372036854775808}');
  });

  it('passes long integers of schemas unchanged, even in a long conversation', () => {
    const tool = '{"function":{"name":"f","parameters":{"minimum":-9223372036854775808}}}';
    const messages = JSON.stringify(Array.from({ length: 10_000 }, () => user));
    const { tools } = readClientRequest(Buffer.from(`{"messages":${messages},"tools":[${tool}]}`));
    expect(JSON.stringify(tools)).toContain('"minimum":-9223372036854775808');
  });

  it('ignores members named __proto__', () => {
    const request = readClientRequest(
      Buffer.from(
        '{"messages":[{"role":"user","content":"x","__proto__":{"name":"evil"}}],"__proto__":{"seed":1}}',
      ),
    );
    expect(request.messages).toEqual([{ role: 'user', content: 'x' }]);
    expect(request.sampling).toEqual({});
  });

  it('refuses a body that is not an object', () => {
    expect(() => read([])).toThrow(TypeError);
    expect(() => readClientRequest(Buffer.from('{'))).toThrow(SyntaxError);
  });
});
