/**
 * The largest body that a gateway accepts by default. The requests below have the shapes that take longest to
 * translate.
 */
const BYTES = 4 * 1_024 * 1_024;
const START = '{"messages":[{"role":"user","content":"x"}';

function filled(before: string, unit: (index: number) => string, after: string): Buffer {
  const pieces = [before];
  let bytes = before.length + after.length;
  for (let index = 0; ; index += 1) {
    const piece = unit(index);
    bytes += Buffer.byteLength(piece);
    if (bytes > BYTES) return Buffer.from(pieces.join('') + after);
    pieces.push(piece);
  }
}

const text = (unit: string) => filled(`${START},{"role":"user","content":"`, () => unit, '"}]}');
const parts = (first: string) =>
  filled(
    `${START},{"role":"user","content":[{"type":"text","text":"${first}"}`,
    () => ',{"type":"text","text":""}',
    ']}]}',
  );
const schema = (before: string, after: string, choice = '{}') =>
  filled(`${START}],${before}`, () => `,${choice}`, after);
const callOf = (id: string, written: string) =>
  `{"id":"${id}","type":"function","function":{"name":"f","arguments":${written}}}`;

function members(count: number): string {
  const names = Array.from({ length: count }, (_, index) => [`k${index}`, 1]);
  return JSON.stringify(JSON.stringify(Object.fromEntries(names)));
}

export const LARGE_REQUESTS: Readonly<Record<string, Buffer>> = {
  'one long text': text('x'),
  'escaped characters': text(String.raw`\n`),
  'wide characters': text('長'),
  'halves of characters': text(String.raw`\ud800`),
  'empty parts': parts(''),
  'empty parts, and half a character': parts(String.raw`\ud800`),
  calls: filled(
    `${START},{"role":"assistant","tool_calls":[${callOf('first', '"{}"')}`,
    (index) => `,${callOf(`c${index}`, '"{}"')}`,
    ']}]}',
  ),
  'a call whose arguments have 65,535 members': Buffer.from(
    `${START},{"role":"assistant","tool_calls":[${callOf('a', members(65_535))}]}]}`,
  ),
  'a member named by a number in each of many choices, and half a character': schema(
    String.raw`"tools":[{"type":"function","function":{"name":"f","parameters":{"enum":["\ud800"`,
    ']}}}]}',
    '{"999":1}',
  ),
  'a strict function with a million choices': schema(
    '"tools":[{"type":"function","function":{"name":"f","strict":true,"parameters":{"enum":[1',
    ']}}}]}',
  ),
  'a function with a long integer among a million choices': schema(
    '"tools":[{"type":"function","function":{"name":"f","parameters":{"enum":[12345678901234567890',
    ']}}}]}',
  ),
};
