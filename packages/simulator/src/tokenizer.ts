import { hashText } from './random.ts';

// Stands in for a trained vocabulary. In prose, a piece has about four bytes on average. If a text is cut at the end of
// a piece, its beginning still has the same pieces. Therefore a text that was generated piece by piece has the same
// count when a client sends it back.
const longestWordPiece = 6;
const longestNumberPiece = 3;
const longestMarkPiece = 2;
const longestBlankPiece = 8;

type Kind = 'blank' | 'word' | 'number' | 'mark' | 'symbol';

const longestOf: Readonly<Record<Kind, number>> = {
  blank: longestBlankPiece,
  word: longestWordPiece,
  number: longestNumberPiece,
  mark: longestMarkPiece,
  symbol: 1,
};

const asciiKinds: readonly Kind[] = Array.from({ length: 128 }, (_, code): Kind => {
  const character = String.fromCharCode(code);
  if (/[a-z]/i.test(character)) return 'word';
  if (/\d/.test(character)) return 'number';
  if (/\s/.test(character)) return 'blank';
  return 'mark';
});

function kindOf(code: number): Kind {
  if (code < 128) return asciiKinds[code] ?? 'mark';
  // Alphabets with spaces between words are below the CJK blocks. From there on, every character is a piece of its own.
  // This includes surrogates.
  return code >= 0xc0 && code < 0x2e80 ? 'word' : 'symbol';
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00;
const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code < 0xe000;

/** The end of the piece that begins at `start`. */
function endOfToken(text: string, start: number): number {
  const first = text.charCodeAt(start);
  let from = start;
  let kind = kindOf(first);
  if (first === 0x20 && start + 1 < text.length) {
    const next = kindOf(text.charCodeAt(start + 1));
    if (next !== 'blank') {
      kind = next;
      from = start + 1;
    }
  }
  if (kind === 'symbol') {
    const pair =
      isHighSurrogate(text.charCodeAt(from)) && isLowSurrogate(text.charCodeAt(from + 1));
    return from + (pair ? 2 : 1);
  }
  const limit = Math.min(text.length, from + longestOf[kind]);
  let end = from + 1;
  while (end < limit && kindOf(text.charCodeAt(end)) === kind) end += 1;
  return end;
}

/** The end of every token of a text, in UTF-16 units. */
export function tokenEnds(text: string): number[] {
  const ends: number[] = [];
  for (let start = 0; start < text.length;) {
    start = endOfToken(text, start);
    ends.push(start);
  }
  return ends;
}

export function tokenize(text: string): string[] {
  let start = 0;
  return tokenEnds(text).map((end) => {
    const token = text.slice(start, end);
    start = end;
    return token;
  });
}

export function countTokens(text: string): number {
  return tokenEnds(text).length;
}

/** The token numbers of a text. They have 31 bits, so that they fit a signed 32-bit integer. */
export function tokenNumbers(text: string): number[] {
  let start = 0;
  return tokenEnds(text).map((end) => {
    const number = hashText(text, undefined, start, end) >>> 1;
    start = end;
    return number;
  });
}
