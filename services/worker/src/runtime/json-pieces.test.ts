import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isStringPiece, jsonPieces } from './json-pieces.ts';

describe('the pieces of JSON text', () => {
  it.each([
    ['', []],
    ['[1]', ['[1]']],
    ['"a"', ['"a"']],
    ['"a" "b"', ['"a"', ' ', '"b"']],
    ['""""', ['""', '""']],
    [
      String.raw`{"a\"1":"\\","b":2}`,
      ['{', String.raw`"a\"1"`, ':', String.raw`"\\"`, ',', '"b"', ':2}'],
    ],
    [String.raw`"\\\"`, [String.raw`"\\\"`]],
  ])('of %s', (text, pieces) => {
    expect([...jsonPieces(text)]).toEqual(pieces);
  });

  it('are together the text, and each string by itself one', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'grapheme' }), (text) => {
        const pieces = [...jsonPieces(text)];
        expect(pieces.join('')).toBe(text);
        for (const piece of pieces) {
          if (isStringPiece(piece)) expect(typeof JSON.parse(piece)).toBe('string');
          else expect(piece).not.toContain('"');
        }
      }),
    );
  });
});
