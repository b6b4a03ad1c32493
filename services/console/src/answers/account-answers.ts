import type { ConsoleReply } from '@sluice/rpc';
import type * as z from 'zod';
import { Role } from '../api/fields.ts';
import { PersonalDataReply } from '../api/platform.ts';
import { SessionAccount, type Membership } from '../api/session.ts';
import { accountName, textOrNull, type Answers } from './answers.ts';

/** The answers about a person's own account: registration and invitations. */
export const accountAnswers: Pick<
  Answers,
  'completeOnboarding' | 'describeInvitation' | 'acceptInvitation' | 'exportOwnData'
> = {
  completeOnboarding: async ({ body }, ask) => {
    await ask('CompleteOnboarding', {
      acceptTerms: body.accept_terms,
      organization: body.organization ?? '',
      organizationName: body.organization_name,
    });
    return {};
  },
  describeInvitation: async ({ body }, ask) => {
    const invitation = await ask('DescribeInvitation', { token: body.token });
    return {
      organization: invitation.organization,
      organization_name: invitation.organizationName,
      role: Role.parse(invitation.role),
      expires_at_ms: invitation.expiresAtMs,
    };
  },
  acceptInvitation: async ({ body }, ask) => {
    const { organization, role } = await ask('AcceptInvitation', {
      token: body.token,
      acceptTerms: body.accept_terms,
    });
    return { organization, role: Role.parse(role) };
  },
  exportOwnData: async (_input, ask) => {
    const { document } = await ask('ExportOwnData', {});
    return PersonalDataReply.parse(JSON.parse(document));
  },
};

export function describePerson(reply: ConsoleReply<'WhoAmI'>): {
  account: z.infer<typeof SessionAccount>;
  organizations: z.infer<typeof Membership>[];
} {
  return {
    account: SessionAccount.parse({
      id: reply.account,
      name: accountName({ ...reply, id: reply.account }),
      email: textOrNull(reply.email),
      access: reply.access,
      onboarding: reply.onboarding,
      restricted: reply.restricted,
      operator: reply.operator,
    }),
    organizations: reply.organizations.map(({ id, name, role, personal }) => ({
      id,
      name,
      role: Role.parse(role),
      personal,
    })),
  };
}
