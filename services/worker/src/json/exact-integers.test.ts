import { describe, expect, it } from 'vitest';
import { needsExactParsing, parseWithExactIntegers } from './exact-integers.ts';

const again = (text: string) => JSON.stringify(parseWithExactIntegers(text));

describe('reading integers exactly', () => {
  it.each([
    '{"a":9223372036854775807,"b":[-9223372036854775808,{"c":18446744073709551615}]}',
    '[9007199254740991,9007199254740992,9007199254740993]',
    '9223372036854775807',
    String.raw`{"a\"":[" :9223372036854775807,"],"b":-9223372036854775808,"__proto__":9223372036854775807}`,
  ])('writes %s unchanged', (text) => {
    expect(again(text)).toBe(text);
  });

  it.each([
    ['0.1234567890123456789', '0.12345678901234568'],
    ['12345678901234567.25', '12345678901234568'],
    ['1e300', '1e+300'],
    ['12345678901234567e1', '123456789012345660'],
    ['1e0000000000000000001', '10'],
    ['1e-0000000000000000001', '0.1'],
    ['123456789012345678901', '123456789012345680000'],
    ['[ 12345678901234567890 ,\n -0 ]', '[12345678901234567890,0]'],
    ['{"a":12345678901234567890,"a":1}', '{"a":1}'],
    ['{"a":1,"a":12345678901234567890}', '{"a":12345678901234567890}'],
    ['"12345678901234567890"', '"12345678901234567890"'],
  ])('reads %s as %s, like JSON.parse', (text, written) => {
    expect(again(text)).toBe(written);
  });

  it('reads safe integers as numbers', () => {
    expect(parseWithExactIntegers('[1,-0,0.5,9007199254740991]')).toEqual([
      1, -0, 0.5, 9007199254740991,
    ]);
  });
});

describe('exact parsing', () => {
  const isNeeded = (part: string, rest = '""') => {
    const text = `{"rest":${rest},"part":${part}}`;
    const whole = JSON.parse(text) as { part: unknown };
    return needsExactParsing(text, whole.part);
  };

  it.each([
    '[{"a":{"b":[9007199254740992]}}]',
    '{"a":-9223372036854775808}',
    '9223372036854775807',
  ])('is needed for %s', (part) => {
    expect(isNeeded(part)).toBe(true);
  });

  it.each([
    '[{"a":{"b":[9007199254740991]}}]',
    '["9223372036854775807"]',
    '[0.1234567890123456789]',
  ])('is not needed for %s', (part) => {
    expect(isNeeded(part)).toBe(false);
  });

  it('is not needed for long integers outside of the part', () => {
    expect(isNeeded('[1]', '9223372036854775807')).toBe(false);
  });
});
