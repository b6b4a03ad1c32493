/** What a worker spends on a client's schema. A schema that costs more is refused. */
export const SCHEMA_LIMITS = {
  /** CPU time to compile the schema, which is done once. */
  prepareMs: 500,
  /** CPU time to check one reply against the schema. */
  checkMs: 200,
  /** Maximum length as JSON. A parsed schema takes up to forty times as much memory. */
  maximumCharacters: 1_000_000,
} as const;
