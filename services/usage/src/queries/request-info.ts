import * as z from 'zod';

/** A request in the form in which replies contain it. The names of the fields are those of the gRPC contract. */
export const RequestInfo = z.object({
  id: z.string(),
  receivedAtMs: z.number(),
  organization: z.string(),
  project: z.string(),
  credential: z.string(),
  operation: z.string(),
  model: z.string(),
  target: z.string(),
  stream: z.boolean(),
  outcome: z.string(),
  code: z.string(),
  gateway: z.string(),
  offers: z.number(),
  refusedOffers: z.number(),
  estimatedInputTokens: z.number(),
  deliveredTokens: z.number(),
  counted: z.boolean(),
  inputTokens: z.number(),
  cachedTokens: z.number(),
  outputTokens: z.number(),
  reasoningTokens: z.number(),
  firstTokenMs: z.number().nullable(),
  durationMs: z.number(),
  /** The HTTP status. Null if none was sent. */
  status: z.number().nullable(),
  /** In units of 10⁻¹² of the currency. Null if the price was not known. */
  spend: z.string().nullable(),
});
export type RequestInfo = z.infer<typeof RequestInfo>;

/** Columns whose names are not simply the names of their fields in snake case. */
const COLUMNS: Readonly<Record<string, string>> = {
  receivedAtMs: 'received_ms',
  acceptedAtMs: 'accepted_ms',
  estimatedInputTokens: 'estimated_tokens',
};

/**
 * The column list of a SELECT that returns rows of this shape. Numbers are cast to float8, because the clients of both
 * databases return it as a number. It is exact up to 2⁵³.
 */
export function selectFields(shape: z.ZodObject): string {
  return Object.entries(shape.shape)
    .map(([name, field]) => {
      const column = COLUMNS[name] ?? columnOf(name);
      return `${column}${castOf(name, field)} AS "${name}"`;
    })
    .join(', ');
}

/** An amount of money can exceed 2⁵³ units, so it is read as text. */
function castOf(name: string, field: unknown): string {
  if (name === 'spend') return '::text';
  const inner = field instanceof z.ZodNullable ? field.unwrap() : field;
  return inner instanceof z.ZodNumber ? '::float8' : '';
}

/** Converts to snake case: `inputTokens` becomes `input_tokens`. */
export function columnOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
