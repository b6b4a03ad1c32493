import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endOfString, startOfString } from './json.ts';

/** The text in pieces that are alternately outside of strings and a string. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let at = 0;
  while (at < text.length) {
    const start = startOfString(text, at);
    const end = endOfString(text, start);
    pieces.push(text.slice(at, start), text.slice(start, end));
    at = end;
  }
  return pieces;
}

describe('finding the strings of JSON text', () => {
  it.each([
    ['', []],
    ['[1]', ['[1]', '']],
    ['"a" "b"', ['', '"a"', ' ', '"b"']],
    ['""""', ['', '""', '', '""']],
    [String.raw`{"a\"1":"\\",2}`, ['{', String.raw`"a\"1"`, ':', String.raw`"\\"`, ',2}', '']],
    [String.raw`"\\\"`, ['', String.raw`"\\\"`]],
  ])('splits %s', (text, pieces) => {
    expect(piecesOf(text)).toEqual(pieces);
  });

  it('splits any JSON text into strings and the rest', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'grapheme' }), (text) => {
        const pieces = piecesOf(text);
        expect(pieces.join('')).toBe(text);
        for (const [index, piece] of pieces.entries()) {
          if (index % 2 === 0) expect(piece).not.toContain('"');
          else if (piece !== '') expect(typeof JSON.parse(piece)).toBe('string');
        }
      }),
    );
  });
});
