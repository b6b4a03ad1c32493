const QUOTE = '"';
const BACKSLASH = '\\';

/** Where the next string of JSON text opens, seen from outside of any; the end of the text when there is none. */
export function startOfString(text: string, from: number): number {
  const quote = text.indexOf(QUOTE, from);
  return quote === -1 ? text.length : quote;
}

/** Behind the closing quote of the string that opens there; the end of the text when it has none. */
export function endOfString(text: string, open: number): number {
  let quote = text.indexOf(QUOTE, open + 1);
  while (quote !== -1) {
    let escapes = 0;
    while (text[quote - escapes - 1] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return quote + 1;
    quote = text.indexOf(QUOTE, quote + 1);
  }
  return text.length;
}
