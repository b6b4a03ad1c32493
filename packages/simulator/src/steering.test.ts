import { describe, expect, test } from 'vitest';
import { RefusedRequest } from './refusal.ts';
import { steeredFault, readSteering } from './steering.ts';

test('a message without a @sim line has no steering', () => {
  expect(readSteering('hello')).toEqual({});
  expect(readSteering('write to me@sim {"tokens": 1}')).toEqual({});
  expect(readSteering('@simon says {"tokens": 1}')).toEqual({});
});

test('the @sim line may be any line of the message', () => {
  expect(readSteering('hello\n  @sim {"tokens": 3, "tool": ["a", "b"]}  \nbye')).toEqual({
    tokens: 3,
    tool: ['a', 'b'],
  });
  expect(readSteering('@sim{"itl_ms":0.5}\r\n')).toEqual({ itl_ms: 0.5 });
  expect(readSteering('hello\r@sim {"tokens": 3}\rbye')).toEqual({ tokens: 3 });
});

test.each([
  ['U+2028', '\u{2028}'],
  ['U+2029', '\u{2029}'],
  ['U+0085', '\u{85}'],
])('the @sim line may contain %s, which does not end a line', (_, separator) => {
  const text = `${separator}@sim {`;
  expect(readSteering(`hello\n@sim ${JSON.stringify({ text })}\nbye`)).toEqual({ text });
  expect(readSteering(`hello${separator}@sim {"tokens": 3}`)).toEqual({});
});

describe('an invalid @sim line is refused with advice', () => {
  test.each([
    ['@sim', 'is not valid JSON'],
    ['@sim {"tokens": secret}', 'is not valid JSON'],
    ['@sim [1]', 'is not an object'],
    ['@sim {"secret": 1}', 'has a name that is not known'],
    ['@sim {"tokens": "secret"}', 'cannot be used for tokens'],
    ['@sim {"tokens": -1, "status": 200}', 'cannot be used for tokens, status'],
    ['@sim {"split": 0}', 'cannot be used for split'],
  ])('%s', (text, why) => {
    let refusal: unknown;
    try {
      readSteering(text);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(RefusedRequest);
    const { status, body } = refusal as RefusedRequest;
    expect(status).toBe(400);
    expect(body.error.message).toContain(why);
    expect(body.error.message).toContain('@sim {"tokens": 20, "itl_ms": 5}');
    expect(body.error.message).toContain('stall_after');
    expect(body.error.message).not.toContain('secret');
  });
});

test('the earliest of several faults occurs', () => {
  expect(steeredFault({})).toBeUndefined();
  expect(steeredFault({ malformed_after: 1 })).toBeUndefined();
  expect(steeredFault({ fail_after: 5, cut_after: 2, stall_after: 9 })).toEqual({
    kind: 'cut',
    after: 2,
  });
});
