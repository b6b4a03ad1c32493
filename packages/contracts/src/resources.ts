import * as z from 'zod';
import { Budget, Webhooks } from './budgets.ts';
import { CatalogModel } from './chat/model.ts';
import { MAX_AMOUNT } from './limits.ts';
import { DEFAULT_WEIGHT, SCHEDULING_CLASSES, SchedulingFields } from './scheduling.ts';

/** The resources that operators manage, with the field names of the YAML. The descriptions go into its JSON Schema. */

const Identifier = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._@-]{0,127}$/,
    'must be 1 to 128 letters, digits, or . _ @ - and start with a letter or digit',
  );

const Limit = z.int().min(0).max(MAX_AMOUNT).nullable();

const RETENTIONS = ['zero', 'standard', 'contributor'] as const;
export const CREDENTIAL_KINDS = ['api_key', 'playground'] as const;

const ModelPattern = z
  .string()
  .regex(
    /^[^\s\p{Cc}\p{Cs}]{1,256}$/u,
    'must be 1 to 256 characters without spaces or control characters',
  );

export const Plan = z.strictObject({
  id: Identifier,
  limits: z
    .strictObject({
      requests_per_minute: Limit.default(null),
      requests_per_day: Limit.default(null),
      tokens_per_minute: Limit.default(null),
      tokens_per_day: Limit.default(null),
    })
    .describe(
      'The limits of each organization on the plan. null is unlimited. 0 refuses every request that costs something.',
    ),
  models: z
    .array(ModelPattern)
    .default(['*'])
    .describe('Ids of models, or patterns in which * stands for any characters.'),
  credentials: z
    .array(z.enum(CREDENTIAL_KINDS))
    .default([...CREDENTIAL_KINDS])
    .describe('The kinds of credential with which the plan may be used.'),
  weight: SchedulingFields.weight
    .optional()
    .describe(
      `While jobs wait, each organization on the plan is served tokens in proportion to its weight, within its class. Default: ${DEFAULT_WEIGHT}.`,
    ),
  scheduling_class: SchedulingFields.schedulingClass
    .optional()
    .describe(
      `Jobs of a higher class start first. It is not the service_tier of a request. Default: ${SCHEDULING_CLASSES.default}.`,
    ),
  slots_per_worker: SchedulingFields.slotsPerWorker
    .optional()
    .describe(
      'The most slots of one worker that an organization may hold; its further jobs wait. Default: null, which is no bound.',
    ),
});
export type Plan = z.infer<typeof Plan>;

/** A name for people. It has no control characters, and is not only spaces. */
export const DisplayName = z
  .string()
  .regex(
    /^(?=.*\S)[^\p{Cc}\p{Cs}]{1,128}$/u,
    'must be 1 to 128 characters without control characters, and not only spaces',
  );

export const EmailAddress = z
  .string()
  .regex(/^[^\s\p{Cc}\p{Cs}@]{1,64}@[^\s\p{Cc}\p{Cs}@]{1,255}$/u, 'must be an e-mail address');

/** The identity of a person at an OpenID Connect provider: `iss` and `sub` of an id token. */
const Identity = z.strictObject({
  issuer: z.string().min(1).max(512),
  subject: z.string().min(1).max(255),
});
export type Identity = z.infer<typeof Identity>;

const ManagedBy = z
  .enum(['console'])
  .optional()
  .describe('What created it. A file for sluice apply that does not list it leaves it as it is.');

export const Account = z.strictObject({
  id: Identifier,
  access: z
    .enum(['granted', 'waiting'])
    .default('waiting')
    .describe(
      'An account that waits for access cannot create API keys, and its credentials are refused.',
    ),
  onboarding: z
    .enum(['complete', 'pending'])
    .default('pending')
    .describe('While registration is unfinished, the playground is refused.'),
  restricted: z.boolean().default(false).describe('Refuses the account everything.'),
  operator: z
    .boolean()
    .optional()
    .describe('Whether the account may use the pages of operators in the console.'),
  name: DisplayName.nullable().optional().describe('Shown to people in the console.'),
  email: EmailAddress.nullable()
    .optional()
    .describe('A person who first signs in with this verified address gets this account.'),
  identities: z
    .array(Identity)
    .max(16)
    .optional()
    .describe('The identities that may sign in to the account. The console adds the first one.'),
  session_generation: z
    .int()
    .min(1)
    .optional()
    .describe('Sessions of an earlier generation have ended. Default: 1.'),
  terms_accepted_at_ms: z.int().min(0).nullable().optional(),
  created_at_ms: z.int().min(0).nullable().optional(),
  managed_by: ManagedBy,
});
export type Account = z.infer<typeof Account>;

/** In the order of their rights: each role may do what the roles before it may. */
export const ORGANIZATION_ROLES = ['viewer', 'member', 'admin', 'owner'] as const;
export type OrganizationRole = (typeof ORGANIZATION_ROLES)[number];
export const DEFAULT_ROLE: OrganizationRole = 'member';

const Member = z.strictObject({
  account: Identifier,
  active: z.boolean().default(true).describe('The credentials of an inactive member are refused.'),
  role: z
    .enum(ORGANIZATION_ROLES)
    .optional()
    .describe(`What the member may do in the console. Default: ${DEFAULT_ROLE}.`),
});

export const Organization = z.strictObject({
  id: Identifier,
  name: DisplayName.nullable().optional().describe('Shown to people in the console.'),
  plan: Identifier.describe('The id of its plan.'),
  limits: z
    .strictObject({
      requests_per_minute: Limit.optional(),
      requests_per_day: Limit.optional(),
      tokens_per_minute: Limit.optional(),
      tokens_per_day: Limit.optional(),
    })
    .default({})
    .describe("Each limit given here replaces the plan's. null is unlimited."),
  weight: SchedulingFields.weight.optional().describe("Replaces the plan's."),
  scheduling_class: SchedulingFields.schedulingClass.optional().describe("Replaces the plan's."),
  slots_per_worker: SchedulingFields.slotsPerWorker
    .optional()
    .describe("Replaces the plan's. null is no bound."),
  retention: z
    .enum(RETENTIONS)
    .default('zero')
    .describe('What the organization was promised about keeping its content.'),
  billing: z
    .enum(['ok', 'exhausted', 'conflict'])
    .default('ok')
    .describe('Anything but ok refuses chat completions.'),
  budget: Budget.optional().describe('What the organization may spend in a month.'),
  webhooks: Webhooks.optional().describe('Where events about the budget are sent.'),
  members: z
    .array(Member)
    .default([])
    .superRefine((members, context) => {
      const seen = new Set<string>();
      for (const [index, { account }] of members.entries()) {
        if (seen.has(account)) {
          context.addIssue({
            code: 'custom',
            path: [index, 'account'],
            message: `account ${account} is listed twice`,
          });
        }
        seen.add(account);
      }
    }),
  personal_of: Identifier.nullable()
    .optional()
    .describe('The account whose first sign-in created the organization.'),
  managed_by: ManagedBy,
});
export type Organization = z.infer<typeof Organization>;

const Project = z.strictObject({
  id: Identifier,
  organization: Identifier.describe(
    'The id of the organization that owns it. It cannot be changed.',
  ),
  name: DisplayName.nullable().optional().describe('Shown to people in the console.'),
  managed_by: ManagedBy,
});

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const ApiKey = z.strictObject({
  id: Identifier,
  project: Identifier,
  name: z.string().max(128),
  creator: Identifier,
  /** Hexadecimal SHA-256 of the key. The key itself is never stored. */
  sha256: Sha256,
  last_four: z.string().length(4),
  created_at_ms: z.int().min(0),
  expires_at_ms: z.int().min(0).nullable(),
  revoked_at_ms: z.int().min(0).nullable(),
});
export type ApiKey = z.infer<typeof ApiKey>;

/** An offer of membership. Its token can be used once to accept it. */
export const Invitation = z.strictObject({
  id: Identifier,
  organization: Identifier,
  role: z.enum(ORGANIZATION_ROLES),
  /** Shown in the list of invitations. */
  email: EmailAddress.nullable(),
  /** Hexadecimal SHA-256 of the token, which is never stored. */
  sha256: Sha256,
  invited_by: Identifier,
  /** The account that is accepting it. No other account can accept it then. */
  accepted_by: Identifier.nullable(),
  created_at_ms: z.int().min(0),
  expires_at_ms: z.int().min(0),
});
export type Invitation = z.infer<typeof Invitation>;

/** Signs a person in to the console once, without a provider. */
export const SignInLink = z.strictObject({
  id: Identifier,
  account: Identifier,
  /** Hexadecimal SHA-256 of the token, which is never stored. */
  sha256: Sha256,
  expires_at_ms: z.int().min(0),
});
export type SignInLink = z.infer<typeof SignInLink>;

/** Checks the fields of a model against each other. */
const ConsistentModel = CatalogModel.superRefine(
  ({ reasoning, default_parameters, max_output_tokens }, context) => {
    const effort = reasoning?.default_effort;
    if (effort !== undefined && reasoning?.supported_efforts.includes(effort) === false) {
      context.addIssue({
        code: 'custom',
        path: ['reasoning', 'default_effort'],
        message: 'must be one of supported_efforts',
      });
    }
    const output = default_parameters?.max_tokens;
    if (output !== undefined && max_output_tokens !== undefined && output > max_output_tokens) {
      context.addIssue({
        code: 'custom',
        path: ['default_parameters', 'max_tokens'],
        message: 'must not exceed max_output_tokens',
      });
    }
  },
);

/** In the order in which resources are written: a resource comes after those that it refers to. */
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
  models: ConsistentModel,
  accounts: Account,
  organizations: Organization,
  projects: Project,
  api_keys: ApiKey,
} as const satisfies Record<ResourceKind, z.ZodType>;

export type ResourceOf<Kind extends ResourceKind> = z.infer<(typeof ResourceSchemas)[Kind]>;

/** The YAML that operators apply. A kind that is left out is not changed. */
export const ResourceFile = z.strictObject({
  plans: z.array(Plan).optional(),
  models: z.array(ConsistentModel).optional(),
  accounts: z.array(Account).optional(),
  organizations: z.array(Organization).optional(),
  projects: z.array(Project).optional(),
});
export type ResourceFile = z.infer<typeof ResourceFile>;
