import { createHash } from 'node:crypto';
import type { JsonObject } from '../json/json.ts';

/** A client's schema as it crosses threads, and the digest by which it is known again. */
export interface SchemaText {
  readonly text: string;
  readonly digest: string;
}

/** A request asks twice: before the generation and after it. */
const texts = new WeakMap<JsonObject, SchemaText>();

export function schemaTextOf(schema: JsonObject): SchemaText {
  const known = texts.get(schema);
  if (known !== undefined) return known;
  const text = JSON.stringify(schema);
  const made = { text, digest: createHash('sha256').update(text).digest('base64') };
  texts.set(schema, made);
  return made;
}
