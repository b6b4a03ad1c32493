/** The schema and the reply as text: the thread parses both, and its CPU time is bounded. */
export interface SchemaCheckOrder {
  readonly text: string;
  readonly digest: string;
  /** Without it, the schema is only prepared for checks. */
  readonly content: string | undefined;
}

/**
 * - `ready`: replies can be checked against it.
 * - `unreadable`: it cannot be compiled, or its validator fails on everything.
 * - `too_costly`: that takes more CPU time or memory than allowed.
 * - `unavailable`: it was not tried; the thread is too busy or cannot be started.
 */
export type SchemaPreparation = 'ready' | 'unreadable' | 'too_costly' | 'unavailable';

/** `unchecked`: nothing is known of the reply. */
export type SchemaVerdict = 'matches' | 'differs' | 'unchecked';

export type SchemaThreadMessage =
  /** Sent once, when the thread's modules are loaded and warm. */
  | { readonly kind: 'ready' }
  /** A step of an order begins: the limit of CPU time of that step counts from here. */
  | { readonly kind: 'begun'; readonly step: 'prepare' | 'check'; readonly cpuMs: number }
  | {
      readonly kind: 'result';
      readonly preparation: 'ready' | 'unreadable';
      readonly verdict: SchemaVerdict;
      /** Characters of all schemas that the thread has compiled. */
      readonly compiled: number;
    };
