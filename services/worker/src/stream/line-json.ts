/** What ends a line by the rules of Unicode, and JSON leaves as it is. */
const LINE_END = /[\u0085\u2028\u2029]/;
const LINE_ENDS = new RegExp(LINE_END, 'g');

/**
 * JSON that is one line for every client. A line of an event ends at a line feed or a carriage return alone, but
 * there are clients that decode first and split by the rules of Unicode: half a chunk is no JSON.
 */
export function lineJson(value: unknown): string {
  const json = JSON.stringify(value);
  // Once a token, and hardly ever there: to look first is cheaper than to replace nothing.
  return LINE_END.test(json) ? json.replaceAll(LINE_ENDS, escapeOf) : json;
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
