import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { prose } from './prose.ts';
import { SeededRandom } from './random.ts';
import { countTokens, tokenEnds, tokenize, tokenNumbers } from './tokenizer.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 80, size: 'max' }),
  fc.string({ unit: 'binary', maxLength: 80, size: 'max' }),
  fc
    .array(fc.constantFrom(' ', '  ', '\n', 'word', '水', '🌊', '1234', '"', '\\', 'é', '\t'))
    .map((parts) => parts.join('')),
);

test('the joined tokens are the text', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const tokens = tokenize(text);
      expect(tokens.join('')).toBe(text);
      expect(tokens).not.toContain('');
      expect(countTokens(text)).toBe(tokens.length);
      expect(tokenNumbers(text)).toHaveLength(tokens.length);
    }),
  );
});

test('a text cut at the end of a token keeps the tokens before the cut', () => {
  fc.assert(
    fc.property(anyText, fc.nat(), (text, choice) => {
      const ends = tokenEnds(text);
      const kept = ends.slice(0, choice % (ends.length + 1));
      expect(tokenEnds(text.slice(0, kept.at(-1) ?? 0))).toEqual(kept);
    }),
  );
});

test('no token ends inside a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60, size: 'max' }), (text) => {
      for (const token of tokenize(text)) expect(token.isWellFormed()).toBe(true);
    }),
  );
});

test('a token of prose is about four bytes', () => {
  const { text } = prose(new SeededRandom(7), 'answering', 5_000);
  const bytes = Buffer.byteLength(text) / 5_000;
  expect(bytes).toBeGreaterThan(3.5);
  expect(bytes).toBeLessThan(5);
});

test('equal tokens have equal numbers, and different tokens have different numbers', () => {
  const numbers = tokenNumbers('gate gate mill');
  expect(numbers[1]).toBe(tokenNumbers(' gate')[0]);
  expect(new Set(numbers).size).toBe(3);
});
