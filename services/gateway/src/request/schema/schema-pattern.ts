/**
 * Whether the groups and character classes of a pattern are closed, and no count is reversed. The pattern is not
 * compiled: a few bytes such as \p{L} can take milliseconds to compile, and runtimes use other dialects of regular
 * expressions.
 */
export function isSoundPattern(text: string): boolean {
  const isReversedCount = reversedCountDetector(text);
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
 * Returns a function that says whether a reversed count, such as {5,2}, begins at a brace. JavaScript refuses such a
 * count, and llama.cpp expands it without limit. The count is read as loosely as llama.cpp reads it: `{ 5x, 2 }` is a
 * count too, although it is plain text in JavaScript.
 */
function reversedCountDetector(text: string): (at: number) => boolean {
  let most = Number.NaN;
  let comma = -1;
  return (at) => {
    const end = text.indexOf('}', at);
    const first = text.indexOf(',', at);
    if (end === -1 || first === -1 || first > end) return false;
    const second = text.indexOf(',', first + 1);
    if (second !== -1 && second < end) return false;
    // The number after the comma is parsed once for all braces before this comma, because a pattern may have hundreds
    // of braces.
    if (first !== comma) most = Number.parseInt(text.slice(first + 1, end), 10);
    comma = first;
    return Number.parseInt(text.slice(at + 1, first), 10) > most;
  };
}
