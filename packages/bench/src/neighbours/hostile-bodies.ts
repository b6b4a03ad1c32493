import {
  LARGEST_BODY,
  completion,
  earlierCall,
  formatted,
  tool,
  userMessage,
} from './completion-body.ts';
import { times } from './wire-traffic.ts';

/** Leaves room for the rest of the request around the hostile part. */
const ROOM = LARGEST_BODY - 4_096;
/** As many keys as fit into the largest body. They are in a JSON string, so the quotes around each key are escaped. */
const KEYS = 330_000;
const MESSAGES = 10_000;
const TOOLS = 128;
/** An integer that a double cannot represent exactly. */
const LONG_INTEGER = '12345678901234567891';

/** As many copies of a JSON value as fit into this many characters, separated by commas. */
function filled(item: string, room = ROOM): string {
  const count = Math.floor((room + 1) / (item.length + 1));
  return Array.from({ length: count }, () => item).join(',');
}

function manyKeys(count: number): string {
  return `{${times(count, (number) => `"${number.toString(36)}":1`).join(',')}}`;
}

function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

/** Arguments of an earlier tool call: a string that contains JSON. */
function withArguments(text: string): string {
  return completion([userMessage(), ...earlierCall(0, text), userMessage()]);
}

function withUserText(jsonText: string): string {
  return completion([`{"role":"user","content":"${jsonText}"}`, userMessage()]);
}

function withParameter(name: string, json: string): string {
  return completion([userMessage()], [`"${name}":${json}`]);
}

/** A request with a function whose definition has these JSON members. */
function withFunction(members: string): string {
  return withParameter('tools', `[{"type":"function","function":{"name":"f",${members}}}]`);
}

function properties(count: number): object {
  const named = times(count, (number): [string, object] => [
    `property_${number}`,
    { type: 'string', description: `The property of number ${number}.` },
  ]);
  return { type: 'object', properties: Object.fromEntries(named), additionalProperties: false };
}

function recursiveReferences(): object {
  const names = times(90, (number) => `d${number}`);
  const anyOf = names.map((name) => ({ $ref: `#/$defs/${name}` }));
  const definition = { type: 'object', properties: { next: { anyOf } } };
  return {
    type: 'object',
    properties: { first: { $ref: '#/$defs/d0' } },
    $defs: Object.fromEntries(names.map((name) => [name, definition])),
  };
}

function patterns(texts: readonly string[]): object {
  const named = texts.map((text, number): [string, object] => [
    `p${number}`,
    { type: 'string', pattern: text },
  ]);
  return { type: 'object', properties: Object.fromEntries(named) };
}

/**
 * One body of each kind. The name says what makes it costly. A body is built when it is sent, because all of them
 * together would take too much memory.
 */
export const HOSTILE_BODIES = {
  'keys in arguments': () => withArguments(manyKeys(KEYS)),
  'nesting in arguments': () => withArguments(nested(ROOM / 2)),
  'integers in arguments': () => withArguments(`[${filled(LONG_INTEGER)}]`),
  'escapes in arguments': () => withArguments(`"${'\\u0000'.repeat(Math.floor(ROOM / 7))}"`),
  'calls in history': () =>
    completion([
      userMessage(),
      ...times(MESSAGES / 2 - 1, (number) => earlierCall(number, '{"place":"lock"}')).flat(),
      userMessage(),
    ]),
  'messages, 10,000': () => completion(times(MESSAGES, () => userMessage())),
  'messages, too many': () => completion([filled('{"role":"user","content":""}')]),
  'text parts': () =>
    completion([
      `{"role":"user","content":[${filled('{"type":"text","text":"a"}')}]}`,
      userMessage(),
    ]),
  'keys in a parameter': () => withParameter('metadata', manyKeys(KEYS)),
  'duplicate keys': () => completion([userMessage()], [filled('"seed":1')]),
  nesting: () => withParameter('tools', nested(ROOM / 2)),
  'one long word': () => withUserText('a'.repeat(ROOM)),
  'escaped zeros': () => withUserText('\\u0000'.repeat(ROOM / 6)),
  'surrogate pairs': () => withUserText('\\ud83d\\ude00'.repeat(ROOM / 12)),
  'white space': () => `${completion([userMessage()])}${' '.repeat(ROOM)}`,
  'an end that is missing': () => withUserText('a'.repeat(ROOM)).slice(0, -1),
  'stop sequences': () => withParameter('stop', `[${filled('"a"')}]`),
  'a long model id': () => `{"model":"${'m'.repeat(ROOM)}","messages":[${userMessage()}]}`,
  'a long number': () => withParameter('seed', '9'.repeat(ROOM)),
  'integers in a schema': () =>
    withFunction(`"parameters":{"enum":[${filled(LONG_INTEGER, 600_000)}]}`),
  'a strict function with a million choices': () =>
    withFunction(`"strict":true,"parameters":{"enum":[1,${filled('{}')}]}`),
  'objects with a numeric key, and a lone surrogate': () =>
    withFunction(String.raw`"parameters":{"enum":["\ud800",${filled('{"999":1}')}]}`),
  '128 tools': () =>
    withParameter(
      'tools',
      JSON.stringify(times(TOOLS, (number) => tool(`f${number}`, properties(80)))),
    ),
  'a schema of 1,000 properties': () => formatted(properties(1_000)),
  'a schema of 5,000 properties': () => formatted(properties(5_000)),
  'a slow pattern': () =>
    formatted(patterns(['^(a+)+$']), JSON.stringify({ p0: `${'a'.repeat(40)}!` })),
  '256 long patterns': () =>
    formatted(patterns(times(256, (number) => `^(${'a|bc'.repeat(200)}){1,${number + 1}}$`))),
  'recursive references': () => formatted(recursiveReferences(), '{"first":{"next":{"next":{}}}}'),
  'a wide anyOf': () =>
    formatted({
      type: 'object',
      properties: { value: { anyOf: times(5_000, (number) => ({ const: `value ${number}` })) } },
    }),
  'a wide enum': () =>
    formatted({
      type: 'object',
      properties: { value: { enum: times(30_000, (number) => `value ${number}`) } },
    }),
} as const satisfies Record<string, () => string>;
