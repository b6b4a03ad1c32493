import { type SchemaObject, UnsatisfiableSchema } from './merge-schemas.ts';
import { patternWriter, UnwritablePattern } from './pattern-text.ts';
import { phrase } from './prose.ts';
import type { SeededRandom } from './random.ts';

const attempts = 50;
const mostCharacters = 100_000;

const twoDigits = (value: number): string => String(value).padStart(2, '0');
const hexadecimal = (random: SeededRandom, length: number): string =>
  Array.from({ length }, () => random.integer(0, 15).toString(16)).join('');
const plainWord = (random: SeededRandom): string =>
  random.pick(['gate', 'canal', 'river', 'mill', 'lock', 'weir', 'basin', 'harbour']);
const date = (random: SeededRandom): string =>
  `20${twoDigits(random.integer(10, 39))}-${twoDigits(random.integer(1, 12))}-${twoDigits(random.integer(1, 28))}`;
const time = (random: SeededRandom): string =>
  [23, 59, 59].map((most) => twoDigits(random.integer(0, most))).join(':');
const hostname = (random: SeededRandom): string => `${plainWord(random)}.example.com`;
const uri = (random: SeededRandom): string => `https://${hostname(random)}/${plainWord(random)}`;
const email = (random: SeededRandom): string => `${plainWord(random)}@${hostname(random)}`;

const formats: Readonly<Record<string, (random: SeededRandom) => string>> = {
  date,
  time: (random) => `${time(random)}Z`,
  'date-time': (random) => `${date(random)}T${time(random)}Z`,
  duration: (random) => `P${random.integer(1, 9)}DT${random.integer(1, 23)}H`,
  email,
  'idn-email': email,
  hostname,
  'idn-hostname': hostname,
  ipv4: (random) => `192.0.2.${random.integer(1, 254)}`,
  ipv6: (random) => `2001:db8::${hexadecimal(random, 3)}1`,
  uri,
  iri: uri,
  url: uri,
  'uri-reference': (random) => `/${plainWord(random)}`,
  'iri-reference': (random) => `/${plainWord(random)}`,
  'uri-template': (random) => `/${plainWord(random)}/{name}`,
  uuid: (random) =>
    [8, 4].map((length) => hexadecimal(random, length)).join('-') +
    `-4${hexadecimal(random, 3)}-a${hexadecimal(random, 3)}-${hexadecimal(random, 12)}`,
  'json-pointer': (random) => `/${plainWord(random)}`,
  'relative-json-pointer': () => '0',
  regex: (random) => `^${plainWord(random)}$`,
  byte: (random) => Buffer.from(plainWord(random)).toString('base64'),
};

function limit(schema: SchemaObject, keyword: string, otherwise: number): number {
  const value = schema[keyword];
  return typeof value === 'number' ? value : otherwise;
}

/** Throws UnsatisfiableSchema, the error that callers expect, in place of UnwritablePattern. */
function translatePatternError<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof UnwritablePattern) throw new UnsatisfiableSchema(error.message);
    throw error;
  }
}

function writerFor(schema: SchemaObject): (random: SeededRandom) => string {
  const { pattern, format } = schema;
  if (typeof pattern === 'string') {
    const write = translatePatternError(() => patternWriter(pattern));
    return (random) => translatePatternError(() => write(random));
  }
  const formatted = typeof format === 'string' ? formats[format] : undefined;
  return formatted ?? phrase;
}

/** JSON Schema counts characters. Some of them, such as emoji, have two UTF-16 units. */
function countCharacters(text: string): number {
  return Array.from(text).length;
}

/** A string that fits this schema. */
export function stringForSchema(schema: SchemaObject, random: SeededRandom): string {
  const least = limit(schema, 'minLength', 0);
  const most = limit(schema, 'maxLength', Number.POSITIVE_INFINITY);
  if (least > most) throw new UnsatisfiableSchema('minLength is greater than maxLength');
  if (least > mostCharacters) {
    throw new UnsatisfiableSchema(`minLength is greater than ${mostCharacters}`);
  }
  const write = writerFor(schema);
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const text = write(random);
    const length = countCharacters(text);
    if (length >= least && length <= most) return text;
  }
  // Phrases can be joined and cut to any length. The text of a pattern or a format cannot.
  if (write !== phrase) throw new UnsatisfiableSchema('no text of the wanted length was found');
  let text = phrase(random);
  let length = countCharacters(text);
  while (length < least) {
    const more = ` ${phrase(random)}`;
    text += more;
    length += countCharacters(more);
  }
  return most === Number.POSITIVE_INFINITY ? text : Array.from(text).slice(0, most).join('');
}
