import type { JsonObject } from '../json/json.ts';

export interface SchemaCheckOrder {
  readonly schema: JsonObject;
  /** Without it, the schema is only made ready for the check to come. */
  readonly content: string | undefined;
}

/** `unchecked`: the schema cannot be understood here, or the check took too long. */
export type SchemaVerdict = 'matches' | 'differs' | 'unchecked';

export type SchemaThreadMessage =
  /** Said once, when the thread's modules are loaded and warm. */
  | { readonly kind: 'ready' }
  /** A check's time is its own: it counts from here. */
  | { readonly kind: 'begun' }
  | {
      readonly kind: 'result';
      readonly verdict: SchemaVerdict;
      /** Characters of all schemas that the thread has compiled. */
      readonly compiled: number;
    };
