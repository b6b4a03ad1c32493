import type { JsonObject } from '../runtime/json.ts';

export interface SchemaCheckOrder {
  readonly id: number;
  readonly schema: JsonObject;
  readonly content: string;
}

/** `unchecked`: the schema cannot be understood here, or the check took too long. */
export type SchemaVerdict = 'matches' | 'differs' | 'unchecked';

/** A result; or, once, that the thread has loaded its modules: a check's time is its own. */
export type SchemaThreadMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly id: number; readonly verdict: SchemaVerdict };
