import { dereference, validate, type SchemaDraft } from '@cfworker/json-schema';
import { isJsonObject, type JsonObject } from '../json/json.ts';
import type { ContentValidator, Draft } from './compile-schema.ts';

/**
 * For draft 7, the interpreter ignores keywords beside a `$ref`, and Ajv does not. Therefore a schema of draft 7 is
 * interpreted as one of 2019-09.
 */
const DRAFTS: Readonly<Record<Draft, SchemaDraft>> = {
  draft7: '2019-09',
  draft2019: '2019-09',
  draft2020: '2020-12',
};

/** The interpreter ignores these keywords, so it cannot check a schema that has them. */
const UNSUPPORTED = ['$dynamicRef', '$recursiveRef'];

/**
 * A validator without compilation, for schemas that take too long to compile. Throws for the same schemas as Ajv. All
 * references are checked here, because the interpreter notices a bad reference only when a value makes it follow it.
 */
export function interpretSchema(schema: JsonObject, draft: Draft): ContentValidator {
  const lookup = dereference(schema);
  for (const subschema of Object.values(lookup)) {
    if (isJsonObject(subschema)) assertReadable(subschema, { lookup, draft });
  }
  return (value) => validate(value, schema, DRAFTS[draft], lookup).valid;
}

interface Reading {
  readonly lookup: Readonly<Record<string, unknown>>;
  readonly draft: Draft;
}

function assertReadable(subschema: JsonObject, { lookup, draft }: Reading): void {
  const { $ref: reference, __absolute_ref__: target, uniqueItems, enum: values, items } = subschema;
  const faults = {
    reference: typeof reference === 'string' && !Object.hasOwn(lookup, String(target)),
    unsupported: UNSUPPORTED.some((name) => Object.hasOwn(subschema, name)),
    uniqueItems: uniqueItems !== undefined && typeof uniqueItems !== 'boolean',
    enum: Array.isArray(values) && values.length === 0,
    // In draft 2020-12, `items` is one schema.
    items: draft === 'draft2020' && Array.isArray(items),
  };
  const fault = Object.entries(faults).find(([, isThere]) => isThere);
  if (fault !== undefined) throw new TypeError(`the schema cannot be interpreted: ${fault[0]}`);
}
