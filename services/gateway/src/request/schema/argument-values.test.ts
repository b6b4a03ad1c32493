import { describe, expect, it } from 'vitest';
import { body, verdictOn } from './request-fixture.ts';

const call = (id: string, text: string) => ({
  id,
  type: 'function',
  function: { name: 'write', arguments: text },
});
const answer = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'done' });
const conversation = (...texts: string[]) =>
  body({
    messages: [
      { role: 'user', content: 'Go on.' },
      ...texts.flatMap((text, index) => [
        { role: 'assistant', tool_calls: [call(`c${index}`, text)] },
        answer(`c${index}`),
      ]),
    ],
  });

/** An object with this many members, which is one value more. */
const members = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1])));

describe('the JSON values in the arguments of earlier calls', () => {
  it('exceed the limit in one call that takes half a second to parse', () => {
    expect(verdictOn(conversation(members(330_000)))).toMatchObject({
      ok: false,
      fault: {
        code: 'invalid_value',
        param: 'messages[1].tool_calls[0].function.arguments',
        message: expect.stringMatching(/ to 330001: .* at most 65536 /) as string,
      },
    });
  });

  it('are counted over all calls, and the call that exceeds the limit is named', () => {
    expect(verdictOn(conversation(members(40_000), members(10), members(40_000)))).toMatchObject({
      ok: false,
      fault: {
        param: 'messages[5].tool_calls[0].function.arguments',
        message: expect.stringContaining('to 80013:') as string,
      },
    });
  });

  it('may reach the limit', () => {
    expect(verdictOn(conversation(members(65_535))).ok).toBe(true);
    expect(verdictOn(conversation(members(65_536))).ok).toBe(false);
  });

  it.each([
    ['a whole file', JSON.stringify({ path: 'a.c', content: 'f(a, [b], {c});\n'.repeat(190_000) })],
    ['text that is not an object', `int a[] = {${'1,'.repeat(1_000_000)}};`],
  ])('%s holds few', (_title, text) => {
    expect(verdictOn(conversation(text)).ok).toBe(true);
  });

  it('stay below the limit in thousands of ordinary calls', () => {
    const texts = Array.from({ length: 4_000 }, (_, index) =>
      JSON.stringify({ path: `${index}`, from: 1, to: 2 }),
    );
    expect(verdictOn(conversation(...texts)).ok).toBe(true);
  });
});
