import * as z from 'zod';

/**
 * The outcome ledger: the outcome of each request, and of each attempt to serve it on a worker. It is the basis for
 * billing and holds no content. Ids are unique across both kinds of record, so a reader finds duplicates by id.
 */

/** `refused`: the request is invalid or over a limit (4xx). `failed`: the service failed (5xx). */
export const REQUEST_OUTCOMES = ['completed', 'cancelled', 'failed', 'refused'] as const;
export type RequestOutcome = (typeof REQUEST_OUTCOMES)[number];

const Count = z.int().min(0);

export const TokenUsage = z.object({
  input_tokens: Count,
  /** Input tokens that the runtime had in its cache. */
  cached_tokens: Count,
  output_tokens: Count,
  /** Output tokens that are reasoning. */
  reasoning_tokens: Count,
});
export type TokenUsage = z.infer<typeof TokenUsage>;

/** The decision of the limiter about a request. Absent if the limiter was not asked, or did not answer. */
const RecordedLimits = z.object({
  /** The tokens that the request costs. It also costs one request. */
  tokens: Count,
  /** For each limit that is set, by its name: the limit, and what was left of it after the decision. */
  windows: z.record(z.string(), z.tuple([Count, Count])),
  /** The limit that refused the request, and how long until it would allow it. */
  refused_by: z.string().optional(),
  wait_ms: Count.optional(),
});
export type RecordedLimits = z.infer<typeof RecordedLimits>;

/** A worker that was offered the request, and how that ended for the gateway. */
const RecordedOffer = z.object({
  worker: z.string().min(1),
  worker_name: z.string().optional(),
  target: z.string(),
  /** From the arrival of the request to the offer. */
  after_ms: Count,
  /** From the offer to its end. */
  took_ms: Count,
  /** `finished`, `refused`, `handed_back`, `failed`, or what the gateway found, such as `silent` or `left`. */
  ended: z.string(),
  reason: z.string().optional(),
});
export type RecordedOffer = z.infer<typeof RecordedOffer>;

/** A record has this many offers at most, so that it stays small. */
export const MAX_RECORDED_OFFERS = 16;

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
  /** Null if the request named no existing model. */
  model: z.string().nullable(),
  stream: z.boolean(),
  outcome: z.enum(REQUEST_OUTCOMES),
  /** The error code. Null if there was no error. */
  code: z.string().nullable(),
  /** How many workers were offered the request. */
  attempts: Count,
  /** Offers that a worker refused at once. They have no attempt record. Version 0.1.0 omits the field if it is 0. */
  refused_offers: Count.default(0),
  /**
   * The target whose worker was offered the request last, by its name in the catalog. Null if there was no offer.
   * Version 0.2.0 omits it.
   */
  target: z.string().nullable().default(null),
  /** The input tokens that admission charged. 0 for a request that generates nothing. */
  estimated_input_tokens: Count,
  /**
   * Output tokens that were sent to the client. If the whole answer was sent, this is the count of the runtime, and
   * otherwise one token for each piece.
   */
  delivered_tokens: Count,
  /** The runtime's count. Null unless the answer was completed. */
  usage: TokenUsage.nullable(),
  received_at_ms: Count,
  first_token_ms: Count.nullable(),
  duration_ms: Count,
  // Version 0.2.0 omits the following fields.
  /** The HTTP status. Null if the client disconnected before it was sent. */
  status: Count.nullable().optional(),
  limits: RecordedLimits.optional(),
  /** In the order of the offers. Absent if there was none. */
  offers: z.array(RecordedOffer).max(MAX_RECORDED_OFFERS).optional(),
  /** How workers schedule the organization. Absent: the default. */
  scheduling_class: z.int().optional(),
  weight: z.number().positive().optional(),
});
export type RequestRecord = z.infer<typeof RequestRecord>;

/**
 * Whether a request was refused, failed or was cancelled before it was offered to a worker. Limits do not bound the
 * number of these requests, so their records go to a separate stream.
 */
export function isRefusal({ outcome, attempts }: RequestRecord): boolean {
  return attempts === 0 && outcome !== 'completed';
}

const ATTEMPT_ENDS = [
  'finished',
  'failed',
  /** The worker stopped the attempt, because its gateway no longer waited for it or could not be reached. */
  'abandoned',
  /** Returned from the worker's queue to the gateway, unserved. */
  'handed_back',
] as const;

/** Why a worker abandoned an attempt. */
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
  /** The worker's id. It is new at each start. */
  worker: z.string().min(1),
  gateway: z.string().min(1),
  organization: z.string().min(1),
  project: z.string(),
  model: z.string(),
  ended: z.enum(ATTEMPT_ENDS),
  reason: z.string().nullable(),
  /** The runtime's count if the answer was completed, otherwise one token for each piece that the worker received. */
  generated_tokens: Count,
  /**
   * Tokens of an abandoned attempt that were generated after the last sign of life of its gateway. After a cancel there
   * are none, because a cancel closes the connection to the runtime at once. If the gateway falls silent, they may be
   * the tokens of a whole lease period.
   */
  unheard_tokens: Count,
  usage: TokenUsage.nullable(),
  accepted_at_ms: Count,
  queued_ms: Count,
  ran_ms: Count,
  // Version 0.2.0 omits the following fields.
  /** What people call the worker, the machine that it runs on, and the address of its runtime. */
  worker_name: z.string().optional(),
  host: z.string().optional(),
  runtime: z.string().optional(),
});
export type AttemptRecord = z.infer<typeof AttemptRecord>;

export const LedgerRecord = z.discriminatedUnion('kind', [RequestRecord, AttemptRecord]);
export type LedgerRecord = z.infer<typeof LedgerRecord>;

/** The usage object of a reply. Unknown fields are ignored, because a newer worker may add some. */
const WireUsage = z.object({
  prompt_tokens: Count,
  completion_tokens: Count,
  prompt_tokens_details: z.object({ cached_tokens: Count }),
  completion_tokens_details: z.object({ reasoning_tokens: Count }),
});

/** Converts the usage object of a reply to the ledger's field names. Undefined if it is not a usage object. */
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
