import { describe, expect, it } from 'vitest';
import { callArguments } from './call-arguments.ts';

const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
const wrapped = (text: string) => JSON.stringify({ arguments: text });

describe('the arguments of an earlier call', () => {
  it.each([
    '{"a": 1}',
    ' {"a":[1e300,-1e-400,12345678901234567890]}',
    String.raw`{"a":"\ud83d\ude00 \\ud83d","b":"1e400"}`,
    `{"a":${'9'.repeat(300)}}`,
    `{"a":[1e5,${'9'.repeat(299)}.${'9'.repeat(400)}]}`,
    `{"a":"${'['.repeat(100)}"}`,
    nested(64),
  ])('%s are sent unchanged', (text) => {
    expect(callArguments(text)).toBe(text);
  });

  it.each(['', ' \n', undefined, null, {}])('%j become an empty object', (value) => {
    expect(callArguments(value)).toBe('{}');
  });

  it.each([
    ['that were cut off', '{"a": "cut o'],
    ['that are no JSON', "{'a': 1}"],
    ['that are a list', '[1]'],
    ['that are null', 'null'],
    ['with half a character in a text', String.raw`{"a":["x\uD83d"]}`],
    ['with half a character in a name', String.raw`{"a":{"\ude00":1}}`],
    ['with a number that is infinite', '{"a":[1e400]}'],
    ['with one that is so by its digits', `{"a":-${'9'.repeat(310)}}`],
    ['with one that is so by both', `{"a":${'9'.repeat(305)}e5}`],
    ['with either in a member that is written twice', '{"a":1e400,"a":1}'],
    ['that nest deeper than a body may', nested(65)],
    ['that nest deeper than a process can bear', nested(50_000)],
  ])('%s are sent as a string inside an object', (_, text) => {
    expect(callArguments(text)).toBe(wrapped(text));
  });
});
