import type { SchemaText } from '../dialect/schema-text.ts';
import { isJsonObject, parseJson, type JsonObject } from '../json/json.ts';
import { compileSchema, warmUpCompilers } from './compile-schema.ts';
import type { ContentValidator, Draft } from './content-validator.ts';
import { interpretSchema } from './interpret-schema.ts';
import { normalizeSchema } from './normalize-schema.ts';
import type { SchemaVerdict } from './schema-thread-messages.ts';

export { compiledCharacters } from './compile-schema.ts';

/**
 * A larger schema is interpreted. Ajv's compiler takes time that grows faster than the schema: 80 ms of CPU for
 * 500 values, 500 ms for 3,000, and its stack is too small for 6,000; to interpret 15,000 takes 40 ms.
 */
const MAXIMUM_COMPILED_VALUES = 500;
const MAXIMUM_REMEMBERED = 256;
/** Of their texts: a schema in memory takes some ten times as much, and the thread has 512 MiB. */
const MAXIMUM_REMEMBERED_CHARACTERS = 3_000_000;

interface Remembered {
  readonly characters: number;
  readonly validator: ContentValidator | undefined;
}

/** Schemas come again: a client sends the same one with every request. By digest, the least recently used first. */
const remembered = new Map<string, Remembered>();
let rememberedCharacters = 0;

/** The validator of a schema; undefined when none can be made of it. */
export function preparedSchema({ text, digest }: SchemaText): ContentValidator | undefined {
  const known = remembered.get(digest);
  if (known !== undefined) {
    remembered.delete(digest);
    remembered.set(digest, known);
    return known.validator;
  }
  const validator = prepare(text);
  remember(digest, { characters: text.length, validator });
  return validator;
}

/** Whether the text is JSON that the validator accepts. */
export function checkContent(
  validator: ContentValidator | undefined,
  content: string,
): SchemaVerdict {
  let value: unknown;
  try {
    value = parseJson(content);
  } catch {
    return 'differs';
  }
  if (validator === undefined) return 'unchecked';
  try {
    return validator(value) ? 'matches' : 'differs';
  } catch {
    // Ajv calls `valueOf` and `toString` of what it compares, and these are the answer's own members.
    return 'unchecked';
  }
}

/** Each compiler's first schema takes it far longer than the next. */
export function warmUp(): void {
  warmUpCompilers();
  interpretSchema({ type: 'object', properties: { a: { enum: [1] } } }, 'draft2020')({ a: 1 });
}

function remember(digest: string, schema: Remembered): void {
  remembered.set(digest, schema);
  rememberedCharacters += schema.characters;
  for (const [oldest, { characters }] of remembered) {
    const isWithinBounds =
      remembered.size <= MAXIMUM_REMEMBERED &&
      rememberedCharacters <= MAXIMUM_REMEMBERED_CHARACTERS;
    if (isWithinBounds || oldest === digest) return;
    remembered.delete(oldest);
    rememberedCharacters -= characters;
  }
}

function prepare(text: string): ContentValidator | undefined {
  try {
    const schema = objectIn(text);
    const isLarge = valuesLeft(schema, MAXIMUM_COMPILED_VALUES) < 0;
    const { $schema: dialect, ...body } = normalizeSchema(schema);
    const make = (draft: Draft) =>
      isLarge
        ? interpretSchema(body, draft)
        : compileSchema(body, { draft, characters: text.length });
    return tried(firstOf(draftsOf(dialect), make));
  } catch {
    return undefined;
  }
}

function objectIn(text: string): JsonObject {
  const value = parseJson(text);
  if (!isJsonObject(value)) throw new TypeError('a schema is an object');
  return value;
}

/** What is left of so many values; negative when there are more. */
function valuesLeft(value: unknown, most: number): number {
  let left = most - 1;
  if (typeof value !== 'object' || value === null) return left;
  const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const each of inner) {
    if (left < 0) return left;
    left = valuesLeft(each, left);
  }
  return left;
}

/** A schema that refers to itself and to nothing else has a validator that ends in no time but by its stack. */
function tried(validator: ContentValidator): ContentValidator {
  for (const value of [null, true, 0, '', [], {}]) validator(value);
  return validator;
}

function firstOf(
  drafts: readonly Draft[],
  make: (draft: Draft) => ContentValidator,
): ContentValidator {
  const failures: unknown[] = [];
  for (const draft of drafts) {
    try {
      return make(draft);
    } catch (error) {
      failures.push(error);
    }
  }
  throw new AggregateError(failures);
}

/** Tuples are often written as the older drafts have them, without the name of one: the last of those knows the most. */
function draftsOf(dialect: unknown): readonly Draft[] {
  const name = typeof dialect === 'string' ? dialect : '';
  if (/draft-0[467]/.test(name)) return ['draft7'];
  return name.includes('2019-09') ? ['draft2019'] : ['draft2020', 'draft2019'];
}
