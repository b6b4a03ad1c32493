import { describe, expect, it } from 'vitest';
import { parseRequestBody } from './parse-body.ts';

const parse = (text: string) => parseRequestBody(Buffer.from(text));

describe('a request body', () => {
  it.each(['{"a":[1,"é",null]}', '[]', '"text"', ' 1 ', 'null'])('is any JSON: %s', (text) => {
    expect(parse(text)).toEqual({ ok: true, value: JSON.parse(text) as unknown });
  });

  it.each(['', ' ', '{', '{"a":1,}', "{'a':1}", '{"a":NaN}', '01', '{}{}', '"\u0000"', '// x\n{}'])(
    'is not %j',
    (text) => {
      expect(parse(text)).toEqual({ ok: false, reason: 'not_json' });
    },
  );

  it('does not begin with a byte order mark', () => {
    expect(parse('\uFEFF{}')).toEqual({ ok: false, reason: 'not_json' });
  });

  it.each([
    [[0x22, 0xff, 0x22]],
    [[0x22, 0xc3, 0x22]],
    [[0x22, 0xed, 0xa0, 0x80, 0x22]],
    [[0x22, 0xc0, 0xaf, 0x22]],
    [[...Buffer.from('{"a":"'), 0x80, 0x22, 0x7d]],
  ])('is UTF-8, unlike %j', (bytes) => {
    expect(parseRequestBody(Uint8Array.from(bytes))).toEqual({ ok: false, reason: 'not_utf8' });
  });

  it('reads the last of repeated keys', () => {
    expect(parse('{"a":1,"a":2}')).toEqual({ ok: true, value: { a: 2 } });
  });

  it('keeps prototype names as plain data', () => {
    const parsed = parse('{"__proto__":{"polluted":true}}');
    expect(parsed.ok && Object.keys(parsed.value as object)).toEqual(['__proto__']);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('nests at most 64 deep', () => {
    const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    expect(parse(nested(64))).toMatchObject({ ok: true });
    expect(parse(nested(65))).toEqual({ ok: false, reason: 'too_deep', param: 'a' });
    expect(parse('['.repeat(100_000))).toEqual({ ok: false, reason: 'too_deep', param: null });
    const name = `\\n${'x'.repeat(300)}`;
    expect(parse(`{"${name}":${'['.repeat(64)}`)).toMatchObject({ param: 'x'.repeat(255) });
  });

  it('is never quoted when it is refused', () => {
    expect(JSON.stringify(parse('{"prompt":"SECRET" oops'))).not.toContain('SECRET');
  });
});
