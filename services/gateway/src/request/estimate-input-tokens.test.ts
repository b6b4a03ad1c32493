import { estimateInputTokens, promptBytes } from '@sluice/contracts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message } from './schema/message.ts';
import { verdictOn } from './schema/request-fixture.ts';

const prompt = (content: string): { messages: Message[] } => ({
  messages: [{ role: 'user', content }],
});
const EMPTY_PROMPT = '[{"role":"user","content":""}]'.length;

function bytesOf(body: string): number {
  const verdict = verdictOn(body);
  if (!verdict.ok) expect.unreachable(verdict.fault.message);
  return promptBytes(verdict.request);
}

describe('the size of a prompt', () => {
  it('is that of its compact JSON in UTF-8', () => {
    const { messages } = prompt('Hello');
    const tools = [
      {
        type: 'function' as const,
        function: {
          name: 'f',
          parameters: { type: 'object', a: [1, -2.5, true, false, null, {}, [], ''], strict: true },
        },
      },
    ];
    expect(promptBytes({ messages })).toBe(JSON.stringify(messages).length);
    expect(promptBytes({ messages, tools })).toBe(
      JSON.stringify(messages).length + JSON.stringify(tools).length,
    );
  });

  it.each([
    ['é'.repeat(10), 20],
    ['漢'.repeat(100), 300],
    ['😀'.repeat(100), 400],
    ['"\n\\'.repeat(100), 300],
    ['x'.repeat(100_000), 100_000],
  ])('counts the bytes of text as it reads', (content, bytes) => {
    expect(promptBytes(prompt(content))).toBe(EMPTY_PROMPT + bytes);
  });

  it('is that of its JSON for any text without escapes', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (texts) => {
        const messages: Message[] = texts.map((text) => ({
          role: 'user',
          content: text.replaceAll(/["\\\p{Cc}]/gu, ''),
        }));
        expect(promptBytes({ messages })).toBe(Buffer.byteLength(JSON.stringify(messages)));
      }),
    );
  });

  it('does not depend on whitespace, escapes, order, dropped fields or other parameters', () => {
    const plain = bytesOf('{"model":"m","messages":[{"role":"user","content":"é"}]}');
    expect(
      bytesOf(
        `{ "temperature": 1, "stop": "x", "messages" : [ { "content" : "\\u00e9", "name": null,
           "role":"user" } ], "tools": [], "model": "another" }`,
      ),
    ).toBe(plain);
    expect(bytesOf('{"model":"m","messages":[{"role":"assistant","content":"é"}]}')).toBe(
      bytesOf('{"model":"m","messages":[{"role":"assistant","content":"é","refusal":null}]}'),
    );
  });
});

describe('the estimate of input tokens', () => {
  it.each([
    ['', 0.25, Math.ceil(EMPTY_PROMPT / 4)],
    ['x'.repeat(10), 0.25, Math.ceil((EMPTY_PROMPT + 10) / 4)],
    ['x'.repeat(11), 0.5, Math.ceil((EMPTY_PROMPT + 11) / 2)],
    ['', 0.0001, 1],
    ['', 1e-9, 1],
    // In floating point, 1.001 * 1,000,000 is slightly less than 1,001,000.
    ['x'.repeat(1_001 - EMPTY_PROMPT), 1.001, 1_003],
  ])('of %j at %d tokens a byte is rounded up to %d', (content, ratio, tokens) => {
    expect(estimateInputTokens(prompt(content), ratio)).toBe(tokens);
  });

  it('is exact: 100 bytes at 0.07 tokens a byte are 7, not 8', () => {
    expect(estimateInputTokens(prompt('x'.repeat(100 - EMPTY_PROMPT)), 0.07)).toBe(7);
  });

  it('is the quotient rounded up, for any ratio of six decimals', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 100_000 }),
        fc.integer({ min: 1, max: 4_000_000 }),
        (length, millionths) => {
          const product = BigInt(EMPTY_PROMPT + length) * BigInt(millionths);
          const expected = (product + 999_999n) / 1_000_000n;
          const estimate = estimateInputTokens(prompt('x'.repeat(length)), millionths / 1_000_000);
          expect(BigInt(estimate)).toBe(expected);
        },
      ),
    );
  });
});
