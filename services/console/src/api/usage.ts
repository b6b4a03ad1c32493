import * as z from 'zod';
import { Identifier, Moment, OrganizationPath, PageQuery, pageOf } from './fields.ts';

const LimitState = z.object({
  limit: z.number(),
  remaining: z.number(),
  reset_ms: z.number().describe('Until all of it is available again.'),
});
/** Null means unlimited. */
const AnyLimit = LimitState.nullable();
export const LimitsReply = z.object({
  limits: z.object({
    requests_per_minute: AnyLimit,
    requests_per_day: AnyLimit,
    tokens_per_minute: AnyLimit,
    tokens_per_day: AnyLimit,
  }),
  at_ms: Moment,
});

export const Freshness = z.object({
  unread_messages: z.number().nullable(),
  lag_seconds: z.number().nullable(),
});

const USAGE_DIMENSIONS = ['project', 'key', 'model', 'hour', 'day', 'month'] as const;
const Dimension = z.enum(USAGE_DIMENSIONS);
export type UsageDimension = z.infer<typeof Dimension>;

/** The currency of all amounts of a reply. */
const Currency = z.string().nullable().describe('Such as EUR. Null if it is not known.');

const Count = z.number();
export const UsageSums = z.object({
  requests: Count,
  completed: Count,
  cancelled: Count,
  failed: Count,
  refused: Count,
  input_tokens: Count,
  cached_tokens: Count,
  output_tokens: Count,
  reasoning_tokens: Count,
  delivered_tokens: Count,
  spend: z.string().nullable().describe('A decimal number. Null if it is not known.'),
  unpriced: Count.describe('Requests whose price was not known. They are not in the spend.'),
});
export type UsageSums = z.infer<typeof UsageSums>;

export const UsageQuery = z.object({
  since: z.coerce.number().int().min(0).describe('Unix milliseconds.'),
  until: z.coerce.number().int().min(0).describe('Unix milliseconds; not included.'),
  by: z
    .string()
    .default('day')
    .transform((text) => text.split(','))
    .pipe(z.array(Dimension).min(1).max(2))
    .describe('One or two dimensions, separated by a comma.'),
  project: Identifier.optional(),
  key: Identifier.optional(),
  model: z.string().max(256).optional(),
});
export const UsageReply = z.object({
  groups: z.array(
    z.object({
      names: z
        .array(z.string())
        .describe(
          'One for each dimension. A time is its first moment, as in 2027-01-31T14:00:00Z.',
        ),
      /** The names as people know them: a key or a project has its name here, and its id in `names`. */
      labels: z.array(z.string()),
      sums: UsageSums,
    }),
  ),
  total: UsageSums,
  since_ms: Moment,
  until_ms: Moment,
  groups_left_out: z.number(),
  currency: Currency,
  freshness: Freshness,
});

const REQUEST_OUTCOMES = ['completed', 'cancelled', 'failed', 'refused'] as const;

export const RequestItem = z.object({
  id: z.string(),
  received_at_ms: Moment,
  project: z.string(),
  credential: z.string().describe('The id of the key, or of the playground credential.'),
  operation: z.string(),
  model: z.string(),
  stream: z.boolean(),
  outcome: z.string().describe(`${REQUEST_OUTCOMES.join(', ')}, or unfinished.`),
  code: z.string().nullable(),
  input_tokens: Count,
  cached_tokens: Count,
  output_tokens: Count,
  reasoning_tokens: Count,
  delivered_tokens: Count,
  counted: z.boolean().describe('False: the tokens are estimates.'),
  first_token_ms: z.number().nullable(),
  duration_ms: z.number(),
  spend: z.string().nullable().describe('A decimal number. Null if the price was not known.'),
});

export const RequestsQuery = PageQuery.extend({
  since: z.coerce.number().int().min(0).optional(),
  until: z.coerce.number().int().min(0).optional(),
  outcome: z.enum(REQUEST_OUTCOMES).optional(),
  code: z.string().max(64).optional(),
  project: Identifier.optional(),
  key: Identifier.optional(),
  model: z.string().max(256).optional(),
});
export const RequestsReply = pageOf('requests', RequestItem).extend({
  currency: Currency,
  freshness: Freshness,
});

export const RequestPath = OrganizationPath.extend({ request: z.string().min(1).max(128) });
export const RequestReply = z.object({
  /** Null if only attempts are known, because the request is still running or its gateway was killed. */
  request: RequestItem.extend({
    gateway: z.string(),
    target: z.string().nullable(),
    offers: Count,
    refused_offers: Count,
    estimated_input_tokens: Count,
    status: z.number().nullable().describe('The HTTP status. Null if none was sent.'),
    refused_by: z.string().nullable().describe('The limit that refused it.'),
    wait_ms: z.number().describe('How long the refusal told the client to wait.'),
    tried: z
      .array(
        z.object({
          worker: z.string(),
          name: z.string(),
          target: z.string().nullable(),
          after_ms: z.number().describe('From the arrival of the request to the offer.'),
          took_ms: z.number().describe('From the offer to its end.'),
          ended: z.string(),
          reason: z.string().nullable(),
        }),
      )
      .describe('The workers that were offered the request; empty if they were not recorded.'),
    limits: z
      .array(z.object({ name: z.string(), limit: Count, remaining: Count }))
      .describe('What each limit said at admission; empty if it was not recorded.'),
  }).nullable(),
  attempts: z.array(
    z.object({
      id: z.string(),
      accepted_at_ms: Moment,
      worker: z.string(),
      name: z.string().describe('The name of the worker, or its id if it is not known.'),
      model: z.string(),
      ended: z.string(),
      reason: z.string().nullable(),
      generated_tokens: Count,
      queued_ms: z.number(),
      ran_ms: z.number(),
    }),
  ),
  currency: Currency,
  freshness: Freshness,
});
