/**
 * Whether a pattern's groups and classes are closed and its counts in order. Never compiled: a few
 * bytes such as \p{L} can take milliseconds, and what a runtime makes of a pattern is its own affair.
 */
export function isSoundPattern(text: string): boolean {
  let open = 0;
  let inClass = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\') {
      at += 1;
      if (at === text.length) return false;
    } else if (inClass) inClass = character !== ']';
    else if (character === '[') inClass = true;
    else if (character === '(') open += 1;
    else if (character === ')') {
      open -= 1;
      if (open < 0) return false;
    } else if (character === '{' && isReversedCount(text, at)) return false;
  }
  return open === 0 && !inClass;
}

/**
 * A count such as {5,2}, which is an error in JavaScript and grows without end in llama.cpp. Read as
 * loosely as it is there: `{ 5x, 2 }` is the same, though JavaScript takes it for plain text.
 */
function isReversedCount(text: string, at: number): boolean {
  const end = text.indexOf('}', at);
  const comma = text.indexOf(',', at);
  if (end === -1 || comma === -1 || comma > end) return false;
  // Not by splitting: with braces within braces, each of them would split the same text once more.
  const another = text.indexOf(',', comma + 1);
  if (another !== -1 && another < end) return false;
  const least = Number.parseInt(text.slice(at + 1, comma), 10);
  return least > Number.parseInt(text.slice(comma + 1, end), 10);
}
