import * as z from 'zod';
import { CatalogModel } from './chat/index.ts';

/** What operators manage, in the field names of the YAML they apply. */

const Identifier = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._@-]{0,127}$/,
    'must be 1 to 128 letters, digits, or . _ @ - and start with a letter or digit',
  );

const Limit = z.int().min(0).max(100_000_000_000).nullable();

const LimitFields = {
  requests_per_minute: Limit,
  requests_per_day: Limit,
  tokens_per_minute: Limit,
  tokens_per_day: Limit,
};

export const RETENTIONS = ['zero', 'standard', 'contributor'] as const;
export const CREDENTIAL_KINDS = ['api_key', 'playground'] as const;

export const Plan = z.strictObject({
  id: Identifier,
  /** null is unlimited. */
  limits: z.strictObject({
    requests_per_minute: Limit.default(null),
    requests_per_day: Limit.default(null),
    tokens_per_minute: Limit.default(null),
    tokens_per_day: Limit.default(null),
  }),
  /** Model ids, or patterns in which `*` stands for any characters. */
  models: z.array(z.string().min(1)).default(['*']),
  credentials: z.array(z.enum(CREDENTIAL_KINDS)).default([...CREDENTIAL_KINDS]),
});
export type Plan = z.infer<typeof Plan>;

export const Account = z.strictObject({
  id: Identifier,
  access: z.enum(['granted', 'waiting']).default('waiting'),
  onboarding: z.enum(['complete', 'pending']).default('pending'),
  restricted: z.boolean().default(false),
});
export type Account = z.infer<typeof Account>;

export const Organization = z.strictObject({
  id: Identifier,
  plan: Identifier,
  /** Replaces the plan's limit where given; null is unlimited. */
  limits: z.strictObject(LimitFields).partial().default({}),
  retention: z.enum(RETENTIONS).default('zero'),
  billing: z.enum(['ok', 'exhausted', 'conflict']).default('ok'),
  members: z
    .array(z.strictObject({ account: Identifier, active: z.boolean().default(true) }))
    .default([]),
});
export type Organization = z.infer<typeof Organization>;

export const Project = z.strictObject({ id: Identifier, organization: Identifier });
export type Project = z.infer<typeof Project>;

export const ApiKey = z.strictObject({
  id: Identifier,
  project: Identifier,
  name: z.string().max(128),
  creator: Identifier,
  /** Hexadecimal SHA-256: the key itself is stored nowhere. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  last_four: z.string().length(4),
  created_at_ms: z.int().min(0),
  expires_at_ms: z.int().min(0).nullable(),
  revoked_at_ms: z.int().min(0).nullable(),
});
export type ApiKey = z.infer<typeof ApiKey>;

/** In the order in which they may be written: what is referred to comes first. */
export const RESOURCE_KINDS = [
  'plans',
  'models',
  'accounts',
  'organizations',
  'projects',
  'api_keys',
] as const;
export type ResourceKind = (typeof RESOURCE_KINDS)[number];

export const ResourceSchemas = {
  plans: Plan,
  models: CatalogModel,
  accounts: Account,
  organizations: Organization,
  projects: Project,
  api_keys: ApiKey,
} as const satisfies Record<ResourceKind, z.ZodType>;

export type ResourceOf<Kind extends ResourceKind> = z.infer<(typeof ResourceSchemas)[Kind]>;
