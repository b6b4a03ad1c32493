import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { phrase, prose, sentences } from './prose.ts';
import { SeededRandom } from './random.ts';
import { tokenEnds } from './tokenizer.ts';

test('prose has exactly the requested number of tokens, with any seed', () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 0, max: 400 }), (seed, tokens) => {
      const { text, ends } = prose(new SeededRandom(seed), 'thinking', tokens);
      expect(ends).toHaveLength(tokens);
      expect(tokenEnds(text)).toEqual(ends);
    }),
  );
});

test('the same seed writes the same text, and a longer one begins with a shorter', () => {
  const short = prose(new SeededRandom(42), 'answering', 50).text;
  const long = prose(new SeededRandom(42), 'answering', 500).text;
  expect(prose(new SeededRandom(42), 'answering', 50).text).toBe(short);
  expect(long.startsWith(short)).toBe(true);
  expect(prose(new SeededRandom(43), 'answering', 50).text).not.toBe(short);
});

test('prose contains wide characters, quotes, line breaks and backslashes', () => {
  const { text } = prose(new SeededRandom(1), 'answering', 4_000);
  for (const needed of ['"', '\n\n', '\\', '\t', 'é', '水', '🌊']) expect(text).toContain(needed);
});

test('whole sentences end with a full stop or a question mark', () => {
  for (let seed = 0; seed < 50; seed += 1) {
    expect(sentences(new SeededRandom(seed), 'answering', 3).text).toMatch(/\.$/);
    expect(sentences(new SeededRandom(seed), 'thinking', 2).text).toMatch(/[.?]$/);
  }
  expect(sentences(new SeededRandom(0), 'answering', 0)).toEqual({ text: '', ends: [] });
});

test('a phrase is short and not empty', () => {
  const random = new SeededRandom(3);
  for (let turn = 0; turn < 100; turn += 1) {
    expect(phrase(random).length).toBeGreaterThan(2);
    expect(phrase(random).length).toBeLessThan(40);
  }
});
