import type { SchemaText } from '../dialects/schema-text.ts';
import { isJsonObject, parseJson, type JsonObject } from '../json/json.ts';
import {
  compileSchema,
  warmUpCompilers,
  type ContentValidator,
  type Draft,
} from './compile-schema.ts';
import { interpretSchema } from './interpret-schema.ts';
import { normalizeSchema } from './normalize-schema.ts';
import type { SchemaVerdict } from './schema-thread.ts';

export { compiledCharacters } from './compile-schema.ts';

/**
 * Larger schemas are interpreted, because the time of Ajv's compiler grows faster than the schema. Measured: 80 ms of
 * CPU time for 500 values, 500 ms for 3,000, and a stack overflow for 6,000. The interpreter prepares 15,000 in 40 ms.
 */
const MAX_COMPILED_VALUES = 500;
const MAX_REMEMBERED = 256;
/**
 * Limit for the total length of the remembered schemas. Their validators take about ten times as much memory, and the
 * thread has 512 MiB.
 */
const MAX_REMEMBERED_CHARACTERS = 3_000_000;

interface Remembered {
  readonly characters: number;
  readonly validator: ContentValidator | undefined;
}

/** Validators by the digest of their schema, least recently used first. Clients send the same schema many times. */
const remembered = new Map<string, Remembered>();
let rememberedCharacters = 0;

/** The validator of a schema; undefined if the schema is invalid. */
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
    return 'unchecked';
  }
}

/** Makes a validator in every way, because the first one takes far longer than later ones. */
export function warmUp(): void {
  warmUpCompilers();
  interpretSchema({ type: 'object', properties: { a: { enum: [1] } } }, 'draft2020')({ a: 1 });
}

function remember(digest: string, schema: Remembered): void {
  remembered.set(digest, schema);
  rememberedCharacters += schema.characters;
  for (const [oldest, { characters }] of remembered) {
    const isWithinBounds =
      remembered.size <= MAX_REMEMBERED && rememberedCharacters <= MAX_REMEMBERED_CHARACTERS;
    if (isWithinBounds || oldest === digest) return;
    remembered.delete(oldest);
    rememberedCharacters -= characters;
  }
}

function prepare(text: string): ContentValidator | undefined {
  try {
    const schema = objectIn(text);
    const isLarge = remainingValues(schema, MAX_COMPILED_VALUES) < 0;
    const { $schema: dialect, ...body } = normalizeSchema(schema);
    const make = (draft: Draft) =>
      isLarge ? interpretSchema(body, draft) : compiledValidator(body, draft, text.length);
    return assertTerminates(firstValidator(draftsOf(dialect), make));
  } catch {
    return undefined;
  }
}

/**
 * Ajv's validators throw for some replies: for members named `valueOf` or `toString`, which they call when they compare,
 * and after some schemas in `anyOf` (`check-schema.test.ts` has one). Such replies are interpreted.
 */
function compiledValidator(body: JsonObject, draft: Draft, characters: number): ContentValidator {
  const compiled = compileSchema(body, { draft, characters });
  let interpreted: ContentValidator | undefined;
  return (value) => {
    try {
      return compiled(value);
    } catch {
      interpreted ??= interpretSchema(structuredClone(body), draft);
      return interpreted(value);
    }
  };
}

function objectIn(text: string): JsonObject {
  const value = parseJson(text);
  if (!isJsonObject(value)) throw new TypeError('a schema is an object');
  return value;
}

/** `limit` minus the number of values in `value`. It stops counting when the result is negative. */
function remainingValues(value: unknown, limit: number): number {
  let left = limit - 1;
  if (typeof value !== 'object' || value === null) return left;
  const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const each of inner) {
    if (left < 0) return left;
    left = remainingValues(each, left);
  }
  return left;
}

/** Throws for a schema that refers only to itself: its validator overflows the stack on every value. */
function assertTerminates(validator: ContentValidator): ContentValidator {
  for (const value of [null, true, 0, '', [], {}]) validator(value);
  return validator;
}

/** The validator for the first draft that allows one. */
function firstValidator(
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

/** A schema without `$schema` may have tuples in the form of older drafts, so draft 2019-09 is tried after 2020-12. */
function draftsOf(dialect: unknown): readonly Draft[] {
  const name = typeof dialect === 'string' ? dialect : '';
  if (/draft-0[467]/.test(name)) return ['draft7'];
  return name.includes('2019-09') ? ['draft2019'] : ['draft2020', 'draft2019'];
}
