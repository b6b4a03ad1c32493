import * as z from 'zod';

/**
 * The leaves that request schemas are made of. Each states its rule once, in words that follow
 * the field's path ("temperature must be ..."). The value never appears: it may be content.
 */
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

/** Lengths count characters, as JSON Schema does; zod's own bounds count UTF-16 units. */
export function textOfLength(minimum: number, maximum: number) {
  const error = `must be a string of ${minimum} to ${maximum} characters`;
  return z
    .string({ error })
    .refine((value) => value.length <= maximum * 2 && hasLength(value, minimum, maximum), { error })
    .meta({ minLength: minimum, maxLength: maximum });
}

function hasLength(value: string, minimum: number, maximum: number): boolean {
  const characters = Array.from(value).length;
  return characters >= minimum && characters <= maximum;
}

export function truth() {
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
 * Of any size, as the interface has it: clients draw seeds of 64 bits. zod's own integers end where
 * a double is no longer exact.
 */
export function integer() {
  const error = 'must be an integer';
  return z
    .number({ error })
    .refine(Number.isInteger, { error })
    .overwrite(withoutNegativeZero)
    .meta({ type: 'integer' });
}

/** Of any size, too: what is too much is the model's to say. */
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

/** Passed on by reference: what is inside is the client's, and is never merged into anything. */
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

function withoutNegativeZero(value: number): number {
  return value + 0;
}
