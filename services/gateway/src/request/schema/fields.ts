import * as z from 'zod';

// The building blocks of the request schemas. Each has one error text that follows the path of the field ("temperature
// must be ..."). The text never contains the value, which may be content.

export interface JsonObject {
  readonly [key: string]: unknown;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function text() {
  return z.string({ error: 'must be a string' });
}

export function nonEmptyText() {
  const error = 'must be a non-empty string';
  return z.string({ error }).min(1, { error });
}

export function textMatching(pattern: RegExp, rule: string) {
  const error = `must be ${rule}`;
  return z.string({ error }).regex(pattern, { error });
}

/** Counts characters, as JSON Schema does. The bounds of zod count UTF-16 units. */
export function textOfLength(minimum: number, maximum: number) {
  const error = `must be a string of ${minimum} to ${maximum} characters`;
  // A character has at most two UTF-16 units, so a much longer string is refused without a count.
  return z
    .string({ error })
    .refine((value) => value.length <= maximum * 2 && hasLength(value, minimum, maximum), { error })
    .meta({ minLength: minimum, maxLength: maximum });
}

function hasLength(value: string, minimum: number, maximum: number): boolean {
  const characters = Array.from(value).length;
  return characters >= minimum && characters <= maximum;
}

export function boolean() {
  return z.boolean({ error: 'must be a boolean' });
}

export function numberBetween(minimum: number, maximum: number) {
  const error = `must be a number between ${minimum} and ${maximum}`;
  return z
    .number({ error })
    .min(minimum, { error })
    .max(maximum, { error })
    .overwrite(withoutNegativeZero);
}

/**
 * Accepts an integer of any size, because clients send 64-bit seeds. `z.int()` accepts only integers that a double
 * holds exactly.
 */
export function integer() {
  const error = 'must be an integer';
  return z
    .number({ error })
    .refine(Number.isInteger, { error })
    .overwrite(withoutNegativeZero)
    .meta({ type: 'integer' });
}

/** An integer of any size. The limits of the model are checked later. */
export function positiveInteger() {
  const error = 'must be an integer of at least 1';
  return z
    .number({ error })
    .min(1, { error })
    .refine(Number.isInteger, { error })
    .meta({ type: 'integer' });
}

export function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, { error: mustBeOneOf(values) });
}

export function mustBeOneOf(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  const last = quoted.pop();
  return quoted.length === 0 ? `must be ${last}` : `must be ${quoted.join(', ')} or ${last}`;
}

/** An object from the client. It is passed on as it is, and never merged into another object. */
export function jsonObject() {
  return z
    .custom<JsonObject>(isJsonObject, { error: 'must be a JSON object' })
    .meta({ type: 'object' });
}

/** An explicit null for an optional field means absent. */
export function absentIfNull<Schema extends z.ZodType>(schema: Schema) {
  return schema
    .nullable()
    .transform((value) => value ?? undefined)
    .optional();
}

export function absentIfEmpty<Element extends z.ZodType>(list: z.ZodArray<Element>) {
  return list
    .nullable()
    .transform((value) => (value === null || value.length === 0 ? undefined : value))
    .optional();
}

/** `-0 + 0` is 0. */
function withoutNegativeZero(value: number): number {
  return value + 0;
}
