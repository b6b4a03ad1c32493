import { MODEL } from './fake-catalog.ts';

/** A kind of body that is slow to read for its size, for one particular reason. */
interface Shape {
  readonly before: string;
  /** Repeated as often as there is room, with `between` as separator. */
  readonly unit: (index: number) => string;
  readonly between: string;
  readonly after: string;
}

const start = `{"model":"${MODEL.id}","messages":[`;
const user = '{"role":"user","content":"x"}';

function listed(before: string, unit: string | ((index: number) => string), after: string): Shape {
  return { before, unit: typeof unit === 'string' ? () => unit : unit, between: ',', after };
}

function repeated(before: string, unit: string, after: string): Shape {
  return { before, unit: () => unit, between: '', after };
}

function inContent(unit: string): Shape {
  return repeated(`${start}{"role":"user","content":"`, unit, '"}]}');
}

function inSchema(
  before: string,
  unit: string | ((index: number) => string),
  after: string,
): Shape {
  return listed(
    `${start}${user}],"tools":[{"type":"function","function":{"name":"f","parameters":${before}`,
    unit,
    `${after}}}]}`,
  );
}

const call = '{"id":"","type":"function","function":{"name":"","arguments":""}}';
const everyField =
  '{"role":"assistant","content":[],"reasoning_content":"","refusal":null,"audio":null,' +
  '"function_call":{},"annotations":[],"parsed":1,"name":""}';
const deepArray = '['.repeat(50) + ']'.repeat(50);
const deepSchema = '{"not":'.repeat(50) + '{}' + '}'.repeat(50);

export const SLOW_SHAPES: Readonly<Record<string, Shape>> = {
  'one string': inContent('x'),
  'unicode escapes': inContent(String.raw`\u00e9`),
  'escaped quotes': inContent(String.raw`\"`),
  'wide characters': inContent('長'),
  messages: listed(start, user, ']}'),
  'assistant messages with every field': listed(start, everyField, ']}'),
  'numbers in place of messages': listed(start, '1', ']}'),
  'text parts': listed(`${start}{"role":"user","content":[`, '{"type":"text","text":""}', ']}]}'),
  'parts with dropped fields': listed(
    `${start}{"role":"user","content":[{"type":"text","text":"x",`,
    (index) => `"k${index}":1`,
    '}]}]}',
  ),
  'a bad part after good ones': listed(
    `${start}{"role":"user","content":[`,
    '{"type":"text","text":""}',
    ',{"type":"image_url"}]}]}',
  ),
  'tool calls': listed(`${start}{"role":"assistant","tool_calls":[`, call, ']}]}'),
  'unlisted parameters': listed('{', (index) => `"k${index}":1`, '}'),
  'unlisted parameters that are numbers': listed('{', (index) => `"${index}":1`, '}'),
  'a parameter again and again': listed('{', '"messages":[]', '}'),
  'message fields that are not known': listed(
    `${start}{"role":"user","content":"x","a":1,`,
    (index) => `"k${index}":1`,
    '}]}',
  ),
  'too many tools': listed(`${start}${user}],"tools":[`, '{}', ']}'),
  'stop sequences': listed(`${start}${user}],"stop":[`, '"a"', ']}'),
  'a bias': listed(`${start}${user}],"logit_bias":{`, (index) => `"${index}":1`, '}}'),
  'properties of a schema': inSchema('{"properties":{', (index) => `"k${index}":{}`, '}}'),
  'numbered properties': inSchema('{"properties":{', (index) => `"${index}":{}`, '}}'),
  'choices of a schema': inSchema('{"enum":[', '1', ']}'),
  'long numbers': inSchema('{"enum":[', '0.12345678901234567', ']}'),
  'schemas of a schema': inSchema('{"allOf":[', '{}', ']}'),
  'deep schemas': inSchema('{"allOf":[', deepSchema, ']}'),
  'deep arrays': inSchema('{"enum":[', deepArray, ']}'),
  references: inSchema('{"$defs":{"a":{}},"allOf":[', '{"$ref":"#/$defs/a"}', ']}'),
  'different references': inSchema(
    '{"allOf":[{},',
    (index) => `{"$ref":"#/allOf/${String(Math.floor(index / 2))}"}`,
    ']}',
  ),
  patterns: inSchema('{"allOf":[', String.raw`{"pattern":"\\p{L}"}`, ']}'),
  'patterns of counts within counts': inSchema(
    '{"allOf":[',
    `{"pattern":"${'{'.repeat(512)}${','.repeat(511)}}"}`,
    ']}',
  ),
  'patterns of counts with one long number': inSchema(
    '{"allOf":[',
    `{"pattern":"${'{1'.repeat(256)},${'2'.repeat(510)}}"}`,
    ']}',
  ),
  'an unknown keyword': inSchema('{"x":[', '{"":{}}', ']}'),
  'a number in place of a schema': inSchema('{"allOf":[', '{}', ',1]}'),
  'text that is not JSON': listed('[', '[]', ''),
  'levels without an end': repeated(start, '[', ''),
  whitespace: repeated('{', ' ', '}'),
};

/** The largest body of a shape within the limits of bytes and values. */
export function slowBody(shape: Shape, limits: { bytes: number; values: number }): Buffer {
  const pieces: string[] = [];
  let bytes = Buffer.byteLength(shape.before) + Buffer.byteLength(shape.after);
  let values = valuesIn(shape.before) + valuesIn(shape.after) + 1;
  for (let index = 0; ; index += 1) {
    const unit = `${index === 0 ? '' : shape.between}${shape.unit(index)}`;
    bytes += Buffer.byteLength(unit);
    values += valuesIn(unit);
    if (bytes > limits.bytes || values > limits.values) break;
    pieces.push(unit);
  }
  return Buffer.from(`${shape.before}${pieces.join('')}${shape.after}`);
}

/** Counts the values in a text. An unclosed string makes the count too high rather than too low. */
function valuesIn(text: string): number {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').match(/[[{,]/g)?.length ?? 0;
}
