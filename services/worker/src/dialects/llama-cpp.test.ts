import { describe, expect, it } from 'vitest';
import { parseWithExactIntegers } from '../json/exact-integers.ts';
import type { JsonObject } from '../json/json.ts';
import { withoutFarBounds } from './llama-cpp.ts';

const cut = (text: string) =>
  JSON.stringify(withoutFarBounds(parseWithExactIntegers(text) as JsonObject));

describe('the bounds of integers and lengths', () => {
  it.each([
    '{"type":"integer","minimum":-1000000000000000,"maximum":1000000000000000}',
    '{"type":"integer","exclusiveMinimum":true,"minimum":3}',
    '{"minItems":5,"maxItems":2147483647,"maxLength":0,"maxProperties":1e+300}',
    '{"properties":{"maxItems":{"const":1}}}',
    // llama.cpp ignores bounds without the type integer.
    '{"type":"number","minimum":1e+300}',
    '{"maximum":9223372036854775807}',
    '{"properties":{"type":{"const":"integer"},"minimum":{"const":9223372036854775807}}}',
    '{"type":"integer","const":9223372036854775807,"multipleOf":1e+300}',
    '{"type":"integer","description":"9223372036854775807"}',
  ])('stay unchanged in %s', (text) => {
    expect(cut(text)).toBe(text);
  });

  it.each([
    ['{"type":"integer","minimum":1000000000000001}', '{"type":"integer"}'],
    ['{"type":"integer","minimum":1,"maximum":9007199254740991}', '{"type":"integer","minimum":1}'],
    ['{"maximum":9223372036854775807,"type":["null","integer"]}', '{"type":["null","integer"]}'],
    ['{"type":"integer","exclusiveMinimum":-1e17,"exclusiveMaximum":1e300}', '{"type":"integer"}'],
    [
      '{"anyOf":[{"items":{"type":"integer","minimum":1e16,"title":"t"}},true,1,9223372036854775807]}',
      '{"anyOf":[{"items":{"type":"integer","title":"t"}},true,1,9223372036854775807]}',
    ],
    [
      '{"minItems":5,"maxItems":4294967298,"items":{"maxLength":9223372036854775807,"minLength":1}}',
      '{"minItems":5,"items":{"minLength":1}}',
    ],
    // A reference may point here.
    [
      '{"$ref":"#/enum/0","enum":[{"type":"integer","minimum":1e16}]}',
      '{"$ref":"#/enum/0","enum":[{"type":"integer"}]}',
    ],
    [
      '{"properties":{"__proto__":{"type":"integer","minimum":1e16}}}',
      '{"properties":{"__proto__":{"type":"integer"}}}',
    ],
  ])('are removed from %s if they are too large', (text, expected) => {
    expect(cut(text)).toBe(expected);
  });
});
