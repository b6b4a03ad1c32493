import { dereference, validate, type SchemaDraft } from '@cfworker/json-schema';
import { isJsonObject, type JsonObject } from '../json/json.ts';
import type { ContentValidator, Draft } from './content-validator.ts';

/** Its draft 7 ignores what stands beside a reference, which Ajv does not. */
const DRAFTS: Readonly<Record<Draft, SchemaDraft>> = {
  draft7: '2019-09',
  draft2019: '2019-09',
  draft2020: '2020-12',
};

/** The interpreter passes over these in silence: a schema that needs them cannot be checked with it. */
const UNSUPPORTED = ['$dynamicRef', '$recursiveRef'];

/**
 * A validator without compilation, for schemas that take a compiler too long. The interpreter finds out about a
 * reference only when it follows it, so all of them are looked up here. Throws where Ajv's compiler would.
 */
export function interpretSchema(schema: JsonObject, draft: Draft): ContentValidator {
  const lookup = dereference(schema);
  for (const place of Object.values(lookup)) {
    if (isJsonObject(place)) assertReadable(place, { lookup, draft });
  }
  return (value) => validate(value, schema, DRAFTS[draft], lookup).valid;
}

interface Reading {
  readonly lookup: Readonly<Record<string, unknown>>;
  readonly draft: Draft;
}

function assertReadable(place: JsonObject, { lookup, draft }: Reading): void {
  const { $ref: reference, __absolute_ref__: target, uniqueItems, enum: values, items } = place;
  const faults = {
    reference: typeof reference === 'string' && !Object.hasOwn(lookup, String(target)),
    unsupported: UNSUPPORTED.some((name) => Object.hasOwn(place, name)),
    uniqueItems: uniqueItems !== undefined && typeof uniqueItems !== 'boolean',
    enum: Array.isArray(values) && values.length === 0,
    // The newest draft has no lists of schemas here.
    items: draft === 'draft2020' && Array.isArray(items),
  };
  const fault = Object.entries(faults).find(([, isThere]) => isThere);
  if (fault !== undefined) throw new TypeError(`the schema cannot be interpreted: ${fault[0]}`);
}
