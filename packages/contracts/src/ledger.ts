import * as z from 'zod';

/**
 * The outcome ledger: what became of each request, and of each attempt at it on a worker. It is what
 * bills are made from, and holds no content. Ids are unique over both kinds: whoever reads a record twice
 * knows it by its id.
 */

/** `refused` is the request's own fault or the caller's limits (4xx), `failed` is ours (5xx). */
export const REQUEST_OUTCOMES = ['completed', 'cancelled', 'failed', 'refused'] as const;
export type RequestOutcome = (typeof REQUEST_OUTCOMES)[number];

const Count = z.int().min(0);

export const TokenUsage = z.object({
  input_tokens: Count,
  /** Those of the input that the runtime had in its cache. */
  cached_tokens: Count,
  output_tokens: Count,
  /** Those of the output that are reasoning. */
  reasoning_tokens: Count,
});
export type TokenUsage = z.infer<typeof TokenUsage>;

/** Written by the gateway, once for each request that passed authentication. */
export const RequestRecord = z.object({
  kind: z.literal('request'),
  /** The request's id. */
  id: z.string().min(1),
  gateway: z.string().min(1),
  organization: z.string().min(1),
  project: z.string(),
  /** The id of the key or of the playground credential, never the credential. */
  credential: z.string(),
  /** `completions`, `models`, `model`, or `unknown`. */
  operation: z.string(),
  /** Null where no model that exists was named. */
  model: z.string().nullable(),
  stream: z.boolean(),
  outcome: z.enum(REQUEST_OUTCOMES),
  /** What was wrong, when something was. */
  code: z.string().nullable(),
  /** To how many workers it was offered. */
  attempts: Count,
  /**
   * Those of them that a worker refused at once, which leave no record of an attempt. Absent where there were none, or
   * the gateway did not say.
   */
  refused_offers: Count.optional(),
  /** What its admission asked for; 0 where nothing was to be generated. */
  estimated_input_tokens: Count,
  /** Output that reached the client: counted by the runtime if it all did, else a token for each piece sent. */
  delivered_tokens: Count,
  /** As the runtime counted it; null unless an answer came to its end. */
  usage: TokenUsage.nullable(),
  received_at_ms: Count,
  first_token_ms: Count.nullable(),
  duration_ms: Count,
});
export type RequestRecord = z.infer<typeof RequestRecord>;

/**
 * Before any worker was offered it, a request was refused, failed, or was left by its client. Limits bound how many
 * requests an organization has served, but not how many of these, so they are kept apart, in the stream of refusals.
 */
export function cameToNothing({ outcome, attempts }: RequestRecord): boolean {
  return attempts === 0 && outcome !== 'completed';
}

const ATTEMPT_ENDS = [
  'finished',
  'failed',
  /** Nobody waited for it any more. */
  'abandoned',
  /** Given back from the queue, unserved. */
  'handed_back',
] as const;

/** The worker's reasons for an abandoned attempt. */
export const ABANDON_REASONS = [
  'cancelled',
  'gateway_silent',
  'bus_lost',
  'channel_broken',
] as const;
export type AbandonReason = (typeof ABANDON_REASONS)[number];

/** Written by the worker, once for each attempt that it accepted. */
export const AttemptRecord = z.object({
  kind: z.literal('attempt'),
  /** The attempt's name: `<request>-<attempt>`. */
  id: z.string().min(1),
  request: z.string().min(1),
  worker: z.string().min(1),
  gateway: z.string().min(1),
  organization: z.string().min(1),
  project: z.string(),
  model: z.string(),
  ended: z.enum(ATTEMPT_ENDS),
  reason: z.string().nullable(),
  /** Counted by the runtime if the answer came to its end, else a token for each piece received. */
  generated_tokens: Count,
  /**
   * Those of them that came after anybody was last known to listen: after a cancel none, for it closes the
   * connection to the runtime at once; up to the lease's time when a gateway fell silent.
   */
  unheard_tokens: Count,
  usage: TokenUsage.nullable(),
  accepted_at_ms: Count,
  queued_ms: Count,
  ran_ms: Count,
});
export type AttemptRecord = z.infer<typeof AttemptRecord>;

export const LedgerRecord = z.discriminatedUnion('kind', [RequestRecord, AttemptRecord]);
export type LedgerRecord = z.infer<typeof LedgerRecord>;

/** The usage object of a reply, of newer workers too: strictness is for what clients send. */
const WireUsage = z.object({
  prompt_tokens: Count,
  completion_tokens: Count,
  prompt_tokens_details: z.object({ cached_tokens: Count }),
  completion_tokens_details: z.object({ reasoning_tokens: Count }),
});

/** The usage of a reply in the ledger's words; undefined if it is none. */
export function readTokenUsage(usage: unknown): TokenUsage | undefined {
  const { success, data } = WireUsage.safeParse(usage);
  return success ? tokenUsageOf(data) : undefined;
}

export function tokenUsageOf(usage: Readonly<z.infer<typeof WireUsage>>): TokenUsage {
  return {
    input_tokens: usage.prompt_tokens,
    cached_tokens: usage.prompt_tokens_details.cached_tokens,
    output_tokens: usage.completion_tokens,
    reasoning_tokens: usage.completion_tokens_details.reasoning_tokens,
  };
}
