import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endOfString, startOfString } from './json-text.ts';

/** The text in pieces: what is outside of strings, a string, and so on in turns. */
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

describe('the strings of JSON text', () => {
  it.each([
    ['', []],
    ['[1]', ['[1]', '']],
    ['"a" "b"', ['', '"a"', ' ', '"b"']],
    ['""""', ['', '""', '', '""']],
    [String.raw`{"a\"1":"\\",2}`, ['{', String.raw`"a\"1"`, ':', String.raw`"\\"`, ',2}', '']],
    [String.raw`"\\\"`, ['', String.raw`"\\\"`]],
  ])('of %s', (text, pieces) => {
    expect(piecesOf(text)).toEqual(pieces);
  });

  it('are found where they are', () => {
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
