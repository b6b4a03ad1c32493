import { BILLING_REFUSALS } from '@sluice/contracts';
import * as z from 'zod';
import { DisplayName, Identifier, Moment, OrganizationPath, Role, pageOf } from './fields.ts';

const RETENTIONS = ['zero', 'standard', 'contributor'] as const;

/** A decimal number, such as 12.50, in the currency of the deployment. */
const Amount = z.string().regex(/^\d{1,12}(\.\d{1,12})?$/);

const Budget = z.strictObject({
  monthly: Amount.nullable().describe('Of a calendar month of UTC. Null is no budget.'),
  thresholds: z.array(z.int().min(1).max(1_000)).max(10).describe('Percentages that are told.'),
  hard: z.boolean().describe('Whether completions stop when the budget is used up.'),
});

const Webhook = z.object({ id: Identifier, url: z.string() });

export const OrganizationReply = z.object({
  id: Identifier,
  name: z.string(),
  personal: z.boolean(),
  plan: Identifier,
  role: Role,
  retention: z.enum(RETENTIONS),
  billing: z.enum(['ok', 'exhausted', 'conflict']).describe('As operators have set it.'),
  billing_refusal: z
    .enum(BILLING_REFUSALS)
    .nullable()
    .describe('The error of all chat completions, by `billing` or because the budget is spent.'),
  budget: Budget.nullable(),
  webhooks: z.array(Webhook),
});

export const ChangeOrganizationBody = z.strictObject({
  name: DisplayName.optional(),
  retention: z.enum(RETENTIONS).optional(),
  budget: Budget.optional(),
});

export const CreateWebhookBody = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).max(2_048),
});
export const CreateWebhookReply = z.object({
  webhook: Webhook,
  secret: z.string().describe('For checking signatures. Shown once.'),
});
export const WebhookPath = OrganizationPath.extend({ webhook: Identifier });

const Member = z.object({
  account: Identifier,
  name: z.string(),
  email: z.string().nullable(),
  role: Role,
  active: z.boolean(),
});
export const MembersReply = pageOf('members', Member);
export const MemberPath = OrganizationPath.extend({ account: Identifier });
export const ChangeMemberBody = z.strictObject({ role: Role });

export const Invitation = z.object({
  id: Identifier,
  role: Role,
  email: z.string().nullable(),
  invited_by: Identifier,
  created_at_ms: Moment,
  expires_at_ms: Moment,
});
export const InvitationsReply = z.object({ invitations: z.array(Invitation) });
export const CreateInvitationBody = z.strictObject({
  role: Role,
  email: z
    .email()
    .max(254)
    .nullable()
    .default(null)
    .describe('Shown in the list; no mail is sent.'),
});
export const CreateInvitationReply = z.object({
  invitation: Invitation,
  url: z.string().describe('The link to send to the invited person. Shown once.'),
});
export const InvitationPath = OrganizationPath.extend({ invitation: Identifier });

export const Project = z.object({
  id: Identifier,
  name: z.string(),
  active_keys: z.number().describe('Keys that are neither revoked nor expired.'),
});
export const ProjectsReply = pageOf('projects', Project);
export const ProjectNameBody = z.strictObject({ name: DisplayName });
export const ProjectPath = OrganizationPath.extend({ project: Identifier });
