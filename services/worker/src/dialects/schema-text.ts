import { createHash } from 'node:crypto';
import type { JsonObject } from '../json/json.ts';

/** A client's schema as it crosses threads, and the digest by which it is known again. */
export interface SchemaText {
  readonly text: string;
  readonly digest: string;
}

export function schemaTextOf(schema: JsonObject): SchemaText {
  const text = JSON.stringify(schema);
  return { text, digest: createHash('sha256').update(text).digest('base64') };
}
