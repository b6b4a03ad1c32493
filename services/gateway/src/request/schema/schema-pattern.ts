/**
 * Whether a pattern's groups and classes are closed and its counts in order. Never compiled: a few
 * bytes such as \p{L} can take milliseconds, and what a runtime makes of a pattern is its own affair.
 */
export function isSoundPattern(text: string): boolean {
  const isReversedCount = reversedCounts(text);
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
    } else if (character === '{' && isReversedCount(at)) return false;
  }
  return open === 0 && !inClass;
}

/**
 * Tells whether a count such as {5,2} begins at a brace, which is an error in JavaScript and grows without end in
 * llama.cpp. Read as loosely as it is there: `{ 5x, 2 }` is the same, though JavaScript takes it for plain text.
 */
function reversedCounts(text: string): (at: number) => boolean {
  let most = Number.NaN;
  let comma = -1;
  return (at) => {
    const end = text.indexOf('}', at);
    const first = text.indexOf(',', at);
    if (end === -1 || first === -1 || first > end) return false;
    const second = text.indexOf(',', first + 1);
    if (second !== -1 && second < end) return false;
    // Once for all braces before the comma: in a pattern full of them it would be read hundreds of times.
    if (first !== comma) most = Number.parseInt(text.slice(first + 1, end), 10);
    comma = first;
    return Number.parseInt(text.slice(at + 1, first), 10) > most;
  };
}
