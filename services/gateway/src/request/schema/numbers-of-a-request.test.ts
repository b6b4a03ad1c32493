import { describe, expect, it } from 'vitest';
import { accepted, body, bodyWith, faultOf, verdictOn } from './request-fixture.ts';

describe('numbers', () => {
  it('are never negative zero', () => {
    const request = accepted(bodyWith('"temperature":-0,"seed":-0,"presence_penalty":-0.0'));
    expect(request).toStrictEqual(body({ temperature: 0, seed: 0, presence_penalty: 0 }));
  });

  it.each([
    ['"max_tokens":16.0', { max_tokens: 16 }],
    ['"max_tokens":1e17', { max_tokens: 1e17 }],
    ['"max_completion_tokens":9007199254740993', { max_completion_tokens: 2 ** 53 }],
    ['"seed":1.5e1', { seed: 15 }],
    ['"seed":18446744073709551615', { seed: 2 ** 64 }],
    ['"seed":-9223372036854775808', { seed: -(2 ** 63) }],
  ])('%s is an integer', (member, extra) => {
    expect(accepted(bodyWith(member))).toEqual(body(extra));
  });

  it.each([
    ['temperature', '1e400'],
    ['top_p', '-1e400'],
    ['frequency_penalty', '1e400'],
    ['seed', '1e400'],
    ['seed', '-1e400'],
    ['seed', '1e-1'],
    ['max_tokens', '1e400'],
    ['max_tokens', '-0'],
    ['max_completion_tokens', '1e400'],
    ['max_completion_tokens', '-0.0'],
  ])('%s is not %s', (name, text) => {
    expect(faultOf(bodyWith(`"${name}":${text}`))).toEqual(['invalid_value', name]);
  });
});

describe('a JSON Schema with 1e400, which is parsed as Infinity', () => {
  const places = [
    '{"minimum":1e400}',
    '{"maximum":-1e400}',
    '{"exclusiveMaximum":1e400}',
    '{"multipleOf":1e400}',
    '{"maxLength":1e400}',
    '{"enum":[1,1e400]}',
    '{"const":1e400}',
    '{"default":{"a":[0,-1e400]}}',
    '{"examples":[[[1e400]]]}',
    '{"x-unheard-of":1e400}',
    '{"dependencies":{"a":{"minimum":1e400}}}',
    '{"properties":{"a":{"items":[{"default":1e400}]}}}',
    '{"$defs":{"unused":{"const":{"":1e400}}}}',
  ];
  const tool = (name: string, schema: string) =>
    `{"type":"function","function":{"name":"${name}","parameters":${schema}}}`;

  it.each(places)('is refused among the parameters of a tool: %s', (schema) => {
    const tools = `"tools":[${tool('f', '{"type":"object"}')},${tool('g', schema)}]`;
    expect(faultOf(bodyWith(tools))).toEqual(['invalid_value', 'tools[1].function.parameters']);
  });

  it.each(places)('is refused as a response format: %s', (schema) => {
    const format = `{"type":"json_schema","json_schema":{"name":"n","schema":${schema}}}`;
    expect(faultOf(bodyWith(`"response_format":${format}`))).toEqual([
      'invalid_value',
      'response_format.json_schema.schema',
    ]);
  });

  it('is reported with its keyword escaped', () => {
    const schema = String.raw`{"a\u0000\n${'x'.repeat(1_000)}":1e400}`;
    expect(verdictOn(bodyWith(`"tools":[${tool('f', schema)}]`))).toMatchObject({
      fault: {
        message:
          'tools[0].function.parameters is not a valid JSON Schema: ' +
          String.raw`the value of 'a\u0000\u000a${'x'.repeat(243)}' is not allowed.`,
      },
    });
  });
});
