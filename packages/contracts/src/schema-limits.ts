/** What a worker spends on a client's schema. Beyond that, the schema is refused. */
export const SCHEMA_LIMITS = {
  /** CPU time to prepare it, once. */
  prepareMs: 500,
  /** CPU time to check a reply against it. */
  checkMs: 200,
  /** As JSON. Parsed, a schema takes up to forty times as much memory. */
  maximumCharacters: 1_000_000,
} as const;
