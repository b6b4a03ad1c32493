import { createHash } from 'node:crypto';
import type { JsonObject } from '../json/json.ts';

/** A client's schema as it is sent to threads, with the digest that identifies it. */
export interface SchemaText {
  readonly text: string;
  readonly digest: string;
}

export function schemaTextOf(schema: JsonObject): SchemaText {
  const text = JSON.stringify(schema);
  return { text, digest: createHash('sha256').update(text).digest('base64') };
}
