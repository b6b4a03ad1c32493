import { describe, expect, it } from 'vitest';
import { parseRequestBody } from './examine-request.ts';

const parse = (text: string) => parseRequestBody(Buffer.from(text));

describe('a request body', () => {
  it.each(['{"a":[1,"é",null]}', '{}', ' {"":{}}\n'])('may be any JSON object: %s', (text) => {
    expect(parse(text)).toEqual({ ok: true, value: JSON.parse(text) as unknown });
  });

  it.each(['[]', '"text"', ' 1 ', 'null', 'true', '[{"model":"m"}]'])(
    'must be an object, unlike %s',
    (text) => {
      expect(parse(text)).toEqual({ ok: false, reason: 'not_an_object' });
    },
  );

  it.each(['', ' ', '{', '{"a":1,}', "{'a':1}", '{"a":NaN}', '01', '{}{}', '"\u0000"', '// x\n{}'])(
    'must be valid JSON, unlike %j',
    (text) => {
      expect(parse(text)).toEqual({ ok: false, reason: 'not_json' });
    },
  );

  it('must not begin with a byte order mark', () => {
    expect(parse('\uFEFF{}')).toEqual({ ok: false, reason: 'not_json' });
  });

  it.each([
    [[0x22, 0xff, 0x22]],
    [[0x22, 0xc3, 0x22]],
    [[0x22, 0xed, 0xa0, 0x80, 0x22]],
    [[0x22, 0xc0, 0xaf, 0x22]],
    [[...Buffer.from('{"a":"'), 0x80, 0x22, 0x7d]],
  ])('must be UTF-8, unlike %j', (bytes) => {
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

  it.each([
    ['not_json', '['.repeat(2_000_000)],
    ['not_json', '{"a":'.repeat(800_000)],
    ['not_json', `{"a":${'['.repeat(65)}${']'.repeat(65)}`],
    ['not_an_object', `["sekret",${'['.repeat(65)}${']'.repeat(65)}]`],
    ['not_an_object', '['.repeat(2_000_000) + ']'.repeat(2_000_000)],
  ])('is checked to be a JSON object at any depth: %s', (reason, text) => {
    expect(parse(text)).toEqual({ ok: false, reason });
  });

  it('is not quoted in a refusal', () => {
    expect(JSON.stringify(parse('{"prompt":"SECRET" oops'))).not.toContain('SECRET');
  });
});
