const QUOTE = '"';
const BACKSLASH = '\\';

/** JSON text in pieces: each of its strings, with its quotes, and what stands between them. No value is made of it. */
export function* jsonPieces(text: string): Generator<string> {
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf(QUOTE, at);
    if (open === -1) break;
    if (open > at) yield text.slice(at, open);
    at = endOfString(text, open);
    yield text.slice(open, at);
  }
  if (at < text.length) yield text.slice(at);
}

export function isStringPiece(piece: string): boolean {
  return piece.startsWith(QUOTE);
}

/** Behind the closing quote of the string that opens there, or the end of the text. */
function endOfString(text: string, open: number): number {
  let quote = text.indexOf(QUOTE, open + 1);
  while (quote !== -1) {
    let escapes = 0;
    while (text[quote - escapes - 1] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return quote + 1;
    quote = text.indexOf(QUOTE, quote + 1);
  }
  return text.length;
}
