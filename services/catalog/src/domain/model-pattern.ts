/** Whether a model id is one that a plan names: the id itself, or a pattern in which `*` stands for any characters. */
export function matchesModelPattern(pattern: string, id: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  const tail = rest.pop();
  if (tail === undefined) return pattern === id;
  if (!id.startsWith(head)) return false;
  // Taking the first place for each piece leaves the most for the pieces after it, so nothing is tried twice.
  let at = head.length;
  for (const piece of rest) {
    const found = id.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return id.length - at >= tail.length && id.endsWith(tail);
}
