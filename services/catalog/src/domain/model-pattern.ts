/** Tells whether a model id is one that a plan names: by the id itself, or by a pattern in which `*` stands for any characters. */
export function modelMatcher(names: readonly string[]): (id: string) => boolean {
  const ids = new Set(names.filter((name) => !name.includes('*')));
  const patterns = names.filter((name) => name.includes('*')).map(patternMatcher);
  return (id) => ids.has(id) || patterns.some((matches) => matches(id));
}

function patternMatcher(pattern: string): (id: string) => boolean {
  const [head = '', ...pieces] = pattern.split('*');
  const tail = pieces.pop() ?? '';
  return (id) => {
    if (!id.startsWith(head)) return false;
    // Taking the first place for each piece leaves the most for the pieces after it, so nothing is tried twice.
    let at = head.length;
    for (const piece of pieces) {
      const found = id.indexOf(piece, at);
      if (found === -1) return false;
      at = found + piece.length;
    }
    return id.length - at >= tail.length && id.endsWith(tail);
  };
}
