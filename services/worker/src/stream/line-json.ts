/** Line ends of Unicode that JSON does not escape. */
const LINE_END = /[\u0085\u2028\u2029]/;
const LINE_ENDS = new RegExp(LINE_END, 'g');

/**
 * JSON on one line. In server-sent events, only CR and LF end a line
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream), but some clients also split
 * at the line ends of Unicode, and would then parse only a part of the JSON. Therefore these are escaped.
 */
export function singleLineJson(value: unknown): string {
  const json = JSON.stringify(value);
  // Called for every token, and line ends are rare: testing first is cheaper than replacing nothing.
  return LINE_END.test(json) ? json.replaceAll(LINE_ENDS, escapeOf) : json;
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
