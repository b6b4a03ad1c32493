import { describe, expect, it } from 'vitest';
import { accepted, body, faultOf, messages, schemaFormat, tool, tools } from './request-fixture.ts';

const manyTools = (count: number) => Array.from({ length: count }, (_, index) => tool(`f${index}`));

describe('each parameter of the table', () => {
  it.each([
    ['model', 'a/b'],
    ['stream', true],
    ['stream', false],
    ['temperature', 0],
    ['temperature', 2],
    ['temperature', 0.7],
    ['top_p', 0],
    ['top_p', 1],
    ['max_completion_tokens', 1],
    ['max_completion_tokens', 16.0],
    ['max_completion_tokens', 1e17],
    ['max_tokens', 32_000],
    ['max_tokens', 2 ** 53],
    ['max_tokens', 1e300],
    ['seed', -5],
    ['seed', Number.MAX_SAFE_INTEGER],
    ['seed', 2 ** 53],
    ['seed', 2 ** 64 - 2 ** 11],
    ['seed', -(2 ** 63)],
    ['seed', 1e300],
    ['reasoning_effort', 'x'],
    ['reasoning_effort', 'é'.repeat(64)],
    ['reasoning_effort', '😀'.repeat(64)],
    ['tools', tools],
    ['frequency_penalty', -2],
    ['frequency_penalty', 2],
    ['presence_penalty', -2],
    ['presence_penalty', 2],
    ['response_format', { type: 'text' }],
    ['response_format', { type: 'json_object' }],
  ])('%s accepts %j and keeps it', (name, value) => {
    expect(accepted(body({ [name]: value }))).toEqual(body({ [name]: value }));
  });

  it.each([
    ['stop', 'END'],
    ['stop', ['a', 'b', 'c', 'd']],
    ['n', 1],
    ['logprobs', false],
    ['logit_bias', {}],
    ['service_tier', 'auto'],
    ['service_tier', 'default'],
    ['store', false],
    ['modalities', ['text']],
    ['verbosity', 'medium'],
  ])('%s accepts %j and drops it', (name, value) => {
    expect(accepted(body({ [name]: value }))).toEqual(body({}));
  });

  it.each([
    ['model', ''],
    ['model', 5],
    ['model', null],
    ['messages', []],
    ['messages', {}],
    ['messages', 'Hello'],
    ['messages', null],
    ['stream', 'true'],
    ['stream', 1],
    ['temperature', -0.1],
    ['temperature', 2.0000001],
    ['temperature', '1'],
    ['temperature', true],
    ['top_p', 1.01],
    ['top_p', -1],
    ['max_completion_tokens', 0],
    ['max_completion_tokens', 1.5],
    ['max_completion_tokens', '16'],
    ['max_tokens', 0],
    ['max_tokens', -1e17],
    ['max_tokens', []],
    ['stop', ''],
    ['stop', []],
    ['stop', ['a', 'b', 'c', 'd', 'e']],
    ['stop', 1],
    ['seed', 1.5],
    ['seed', '1'],
    ['seed', true],
    ['seed', []],
    ['reasoning_effort', ''],
    ['reasoning_effort', 'x'.repeat(65)],
    ['reasoning_effort', '😀'.repeat(65)],
    ['reasoning_effort', 1],
    ['tools', {}],
    ['frequency_penalty', 2.1],
    ['frequency_penalty', '0'],
    ['presence_penalty', -2.1],
    ['response_format', 'text'],
    ['response_format', []],
  ])('%s refuses %j as invalid', (name, value) => {
    expect(faultOf(body({ [name]: value }))).toEqual(['invalid_value', name]);
  });

  it.each([
    ['n', 2],
    ['n', '1'],
    ['n', 0],
    ['logprobs', true],
    ['logprobs', 'false'],
    ['logit_bias', { 50256: -100 }],
    ['logit_bias', []],
    ['logit_bias', 'x'],
    ['service_tier', 'flex'],
    ['service_tier', 1],
    ['store', true],
    ['store', 0],
    ['modalities', ['text', 'audio']],
    ['modalities', ['audio']],
    ['modalities', []],
    ['modalities', 'text'],
    ['verbosity', 'high'],
    ['verbosity', {}],
  ])('%s has a fixed value and does not support %j', (name, value) => {
    expect(faultOf(body({ [name]: value }))).toEqual(['unsupported_value', name]);
  });

  it.each([
    [{ messages }, 'model'],
    [{ model: 'm' }, 'messages'],
    [{}, 'model'],
  ])('a required one is missing in %j', (parsed, param) => {
    expect(faultOf(parsed)).toEqual(['missing_required_parameter', param]);
  });

  it.each([
    [{ stop: ['a', ''] }, 'invalid_value', 'stop[1]'],
    [{ stop: [1] }, 'invalid_value', 'stop[0]'],
    [{ stream: true, stream_options: 1 }, 'invalid_value', 'stream_options'],
    [
      { stream: true, stream_options: { include_usage: 'yes' } },
      'invalid_value',
      'stream_options.include_usage',
    ],
    [
      { stream: true, stream_options: { include_obfuscation: 0 } },
      'invalid_value',
      'stream_options.include_obfuscation',
    ],
    [{ tools: [1] }, 'invalid_value', 'tools[0]'],
    [{ tools: [{ function: { name: 'f' } }] }, 'missing_required_parameter', 'tools[0].type'],
    [{ tools: [{ type: 'web_search' }] }, 'invalid_value', 'tools[0].type'],
    [{ tools: [{ type: 'function' }] }, 'missing_required_parameter', 'tools[0].function'],
    [{ tools: [{ type: 'function', function: 'f' }] }, 'invalid_value', 'tools[0].function'],
    [
      { tools: [...manyTools(5), { type: 'function', function: {} }] },
      'missing_required_parameter',
      'tools[5].function.name',
    ],
    [{ tools: [tool('a b')] }, 'invalid_value', 'tools[0].function.name'],
    [{ tools: [tool('')] }, 'invalid_value', 'tools[0].function.name'],
    [{ tools: [tool('f\n')] }, 'invalid_value', 'tools[0].function.name'],
    [{ tools: [tool('x'.repeat(65))] }, 'invalid_value', 'tools[0].function.name'],
    [{ tools: [tool('f'), tool('g'), tool('f')] }, 'invalid_value', 'tools[2].function.name'],
    [
      { tools: [{ type: 'function', function: { name: 'f', description: 1 } }] },
      'invalid_value',
      'tools[0].function.description',
    ],
    [
      { tools: [{ type: 'function', function: { name: 'f', parameters: [] } }] },
      'invalid_value',
      'tools[0].function.parameters',
    ],
    [
      { tools: [{ type: 'function', function: { name: 'f', strict: 'yes' } }] },
      'invalid_value',
      'tools[0].function.strict',
    ],
    [{ tools, tool_choice: 'any' }, 'invalid_value', 'tool_choice'],
    [{ tools, tool_choice: 1 }, 'invalid_value', 'tool_choice'],
    [{ tools, tool_choice: {} }, 'missing_required_parameter', 'tool_choice.type'],
    [{ tools, tool_choice: { type: 'allowed_tools' } }, 'invalid_value', 'tool_choice.type'],
    [
      { tools, tool_choice: { type: 'function' } },
      'missing_required_parameter',
      'tool_choice.function',
    ],
    [
      { tools, tool_choice: { type: 'function', function: {} } },
      'missing_required_parameter',
      'tool_choice.function.name',
    ],
    [{ tools, tool_choice: tool('other') }, 'invalid_value', 'tool_choice.function.name'],
    [{ tools, parallel_tool_calls: 'no' }, 'invalid_value', 'parallel_tool_calls'],
    [{ response_format: {} }, 'missing_required_parameter', 'response_format.type'],
    [{ response_format: { type: 'xml' } }, 'invalid_value', 'response_format.type'],
    [schemaFormat(undefined), 'missing_required_parameter', 'response_format.json_schema'],
    [schemaFormat('x'), 'invalid_value', 'response_format.json_schema'],
    [schemaFormat({}), 'missing_required_parameter', 'response_format.json_schema.name'],
    [schemaFormat({ name: 1 }), 'invalid_value', 'response_format.json_schema.name'],
    [
      schemaFormat({ name: 'n', description: 1 }),
      'invalid_value',
      'response_format.json_schema.description',
    ],
    [schemaFormat({ name: 'n', strict: 1 }), 'invalid_value', 'response_format.json_schema.strict'],
    [
      schemaFormat({ name: 'n', schema: [] }),
      'invalid_value',
      'response_format.json_schema.schema',
    ],
  ])('refuses %j as %s at %s', (extra, code, param) => {
    expect(faultOf(body(extra))).toEqual([code, param]);
  });
});

describe('the number of tools', () => {
  it('is at most 128', () => {
    expect(accepted(body({ tools: manyTools(128) }))).toEqual(body({ tools: manyTools(128) }));
    expect(faultOf(body({ tools: manyTools(129) }))).toEqual(['invalid_value', 'tools']);
  });
});

describe('combinations of parameters', () => {
  it.each([
    [{ max_tokens: 1, max_completion_tokens: 1 }, 'max_tokens'],
    [{ tool_choice: 'auto' }, 'tool_choice'],
    [{ tool_choice: 'none', tools: [] }, 'tool_choice'],
    [{ parallel_tool_calls: false }, 'parallel_tool_calls'],
    [{ parallel_tool_calls: true, tools: null }, 'parallel_tool_calls'],
    [{ stream_options: {} }, 'stream_options'],
    [{ stream_options: { include_usage: true }, stream: false }, 'stream_options'],
    [{ stream_options: { include_usage: true }, stream: null }, 'stream_options'],
  ])('%j are refused', (extra, param) => {
    expect(faultOf(body(extra))).toEqual(['invalid_value', param]);
  });

  it.each([
    { temperature: 1, top_p: 0.5 },
    { stream: true, stream_options: { include_usage: true, include_obfuscation: false } },
    { stream: true, stream_options: {} },
    { tools, tool_choice: 'required', parallel_tool_calls: false },
    { tools, tool_choice: tool('look_up') },
  ])('%j are accepted', (extra) => {
    expect(accepted(body(extra))).toEqual(body(extra));
  });
});

describe('counted as absent', () => {
  const optional = [
    ['stream', 'stream_options', 'temperature', 'top_p', 'max_completion_tokens', 'max_tokens'],
    ['stop', 'seed', 'reasoning_effort', 'tools', 'tool_choice', 'parallel_tool_calls', 'n'],
    ['logprobs', 'logit_bias', 'frequency_penalty', 'presence_penalty', 'response_format'],
    ['service_tier', 'store', 'modalities', 'verbosity'],
  ].flat();

  it.each(optional)('%s: null', (name) => {
    expect(accepted(body({ [name]: null }))).toEqual(body({}));
  });

  it('all of them null at once', () => {
    const nulls = Object.fromEntries(optional.map((name) => [name, null]));
    expect(accepted(body(nulls))).toEqual(body({}));
  });

  it('an empty list of tools', () => {
    expect(accepted(body({ tools: [] }))).toEqual(body({}));
  });

  it('null in optional fields of a tool, a format and the stream options', () => {
    const extra = {
      stream: true,
      stream_options: { include_usage: null },
      tools: [
        {
          type: 'function',
          function: { name: 'f', description: null, parameters: null, strict: null },
        },
      ],
      ...schemaFormat({ name: 'n', description: null, strict: null, schema: null }),
    };
    expect(accepted(body(extra))).toEqual(
      body({
        stream: true,
        stream_options: {},
        tools: [tool('f')],
        ...schemaFormat({ name: 'n' }),
      }),
    );
  });

  it('unknown fields inside tools, tool_choice, stream_options and response_format', () => {
    const extra = {
      stream: true,
      stream_options: { include_usage: true, other: 1 },
      tools: [{ ...tool('f'), cache_control: {}, function: { name: 'f', other: 1 } }],
      tool_choice: { type: 'function', function: { name: 'f', other: 1 }, other: 1 },
      response_format: { type: 'json_object', other: 1 },
    };
    expect(accepted(body(extra))).toEqual(
      body({
        stream: true,
        stream_options: { include_usage: true },
        tools: [tool('f')],
        tool_choice: tool('f'),
        response_format: { type: 'json_object' },
      }),
    );
  });

  it('nothing inside a JSON Schema', () => {
    const schema = JSON.parse(
      '{"$schema":"https://json-schema.org/draft-07/schema#","title":"T","type":"object","properties":{"constructor":{"type":"string"}}}',
    ) as object;
    const extra = {
      tools: [{ type: 'function', function: { name: 'f', parameters: schema, strict: true } }],
      ...schemaFormat({ name: 'n', description: 'd', strict: true, schema }),
    };
    expect(accepted(body(extra))).toEqual(body(extra));
  });
});
