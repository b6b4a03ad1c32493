import * as z from 'zod';
import {
  DisplayName,
  Identifier,
  Moment,
  OrganizationPath,
  SearchQuery,
  pageOf,
} from './fields.ts';

const KEY_STATES = ['active', 'expired', 'revoked'] as const;

export const Key = z.object({
  id: Identifier,
  name: z.string(),
  project: Identifier,
  creator: Identifier,
  creator_name: z.string(),
  last_four: z.string(),
  state: z.enum(KEY_STATES),
  created_at_ms: Moment,
  expires_at_ms: Moment.nullable(),
  revoked_at_ms: Moment.nullable(),
  last_used_at_ms: Moment.nullable().describe('Null if it was not used, or is not known.'),
  can_revoke: z.boolean().describe('Whether the reader may revoke it.'),
});
export type Key = z.infer<typeof Key>;

export const KeysQuery = SearchQuery.extend({
  project: Identifier.optional(),
  state: z.enum(KEY_STATES).optional(),
});
export const KeysReply = pageOf('keys', Key).extend({
  last_use_known: z.boolean().describe('False while the usage service cannot be asked.'),
});

export const CreateKeyBody = z.strictObject({
  name: DisplayName,
  project: Identifier,
  expires_at_ms: Moment.nullable().default(null),
});
export const CreateKeyReply = z.object({
  key: Key,
  secret: z.string().describe('The API key itself. Shown once.'),
});
export const KeyPath = OrganizationPath.extend({ key: Identifier });

export const PlaygroundCredentialBody = z.strictObject({ project: Identifier });
export const PlaygroundCredentialReply = z.object({
  token: z.string(),
  expires_at_ms: Moment,
});

/** A model as GET /models of the public API shows it. */
const ModelItem = z.looseObject({
  id: z.string(),
  object: z.literal('model'),
  created: z.number(),
  owned_by: z.string(),
  shutdown_date: z.string().nullable(),
  context_length: z.number().optional(),
  max_output_tokens: z.number().optional(),
  default_parameters: z.object({ max_tokens: z.number().optional() }).optional(),
  reasoning: z
    .object({
      supported_efforts: z.array(z.string()),
      default_effort: z.string().optional(),
      mandatory: z.boolean().optional(),
    })
    .optional(),
});
export const ModelsReply = z.object({ models: z.array(ModelItem) });
