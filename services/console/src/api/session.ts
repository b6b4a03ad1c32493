import * as z from 'zod';
import { DisplayName, Identifier, Moment, Role } from './fields.ts';

const SignInMethods = z.object({
  provider: z.boolean().describe('Whether /sign-in leads to a provider of OpenID Connect.'),
  link: z.boolean().describe('Whether one-time sign-in links are accepted.'),
});

const Deployment = {
  api_url: z.string().describe('The base address of the public API, with its path.'),
  terms_url: z.string().nullable(),
  version: z.string(),
};

const SignedOut = z.object({
  state: z.literal('signed_out'),
  sign_in: SignInMethods,
  ...Deployment,
});

export const SessionAccount = z.object({
  id: Identifier,
  name: z.string().describe('The e-mail address or the id if there is no name.'),
  email: z.string().nullable(),
  access: z.enum(['granted', 'waiting']),
  onboarding: z.enum(['complete', 'pending']),
  restricted: z.boolean(),
  operator: z.boolean(),
});

export const Membership = z.object({
  id: Identifier,
  name: z.string(),
  role: Role,
  personal: z.boolean().describe('Created for the account at its first sign-in.'),
});

export const SignedIn = z.object({
  state: z.literal('signed_in'),
  account: SessionAccount,
  organizations: z.array(Membership),
  csrf_token: z.string().describe('Sent as the header x-csrf-token with every change.'),
  ...Deployment,
});

export const SessionReply = z.discriminatedUnion('state', [SignedOut, SignedIn]);
export type SessionReply = z.infer<typeof SessionReply>;

export const SignOutReply = z.object({
  sign_out_url: z.string().nullable().describe("The provider's page that ends its own session."),
});

export const EraseOwnAccountBody = z.strictObject({
  account: Identifier.describe('The own account, so that no other is erased by mistake.'),
});

export const OnboardingBody = z.strictObject({
  accept_terms: z.literal(true),
  organization: Identifier.optional().describe('The personal one if it is left out.'),
  organization_name: DisplayName,
});

const InvitationToken = z.string().min(1).max(256);
export const DescribeInvitationBody = z.strictObject({ token: InvitationToken });
export const InvitationReply = z.object({
  organization: Identifier,
  organization_name: z.string(),
  role: Role,
  expires_at_ms: Moment,
});

export const AcceptInvitationBody = z.strictObject({
  token: InvitationToken,
  accept_terms: z.boolean().describe('Needed while the registration is unfinished.'),
});
export const AcceptInvitationReply = z.object({ organization: Identifier, role: Role });
