import { setTimeout as delay } from 'node:timers/promises';
import type { ConsoleReply, UsageClient } from '@sluice/rpc';
import type * as z from 'zod';
import { Role } from '../api/fields.ts';
import { OrganizationReply, type Invitation, type Project } from '../api/organizations.ts';
import {
  accountName,
  pageReply,
  pageRequest,
  textOrNull,
  type Answers,
  type AskCatalog,
} from './answers.ts';
import { ConsoleError, callOf } from './console-error.ts';

type OrganizationRoute =
  | 'getOrganization'
  | 'changeOrganization'
  | 'deleteOrganization'
  | 'createWebhook'
  | 'deleteWebhook'
  | 'listMembers'
  | 'changeMember'
  | 'removeMember'
  | 'listInvitations'
  | 'createInvitation'
  | 'revokeInvitation'
  | 'listProjects'
  | 'createProject'
  | 'renameProject'
  | 'deleteProject';

/** The answers about an organization, its members, invitations and projects. */
export function organizationAnswers({
  publicUrl,
  usage,
}: {
  readonly publicUrl: string;
  /** The usage service sends the webhooks, and knows their secrets. Undefined if there is none. */
  readonly usage: Pick<UsageClient, 'getWebhookSecret'> | undefined;
}): Pick<Answers, OrganizationRoute> {
  return {
    getOrganization: async ({ params }, ask) =>
      describeOrganization(await ask('GetOrganization', params)),
    changeOrganization: async ({ params, body }, ask) => {
      const { organization } = await ask('UpdateOrganization', {
        ...params,
        ...(body.name !== undefined && { name: body.name }),
        ...(body.retention !== undefined && { retention: body.retention }),
        ...(body.budget !== undefined && {
          budget: {
            ...(body.budget.monthly !== null && { monthly: body.budget.monthly }),
            thresholds: body.budget.thresholds,
            hard: body.budget.hard,
          },
        }),
      });
      return describeOrganization(organization);
    },
    deleteOrganization: async ({ params }, ask) => {
      await ask('DeleteOrganization', params);
      return {};
    },

    createWebhook: async ({ params: { organization }, body: { url } }, ask) => {
      await ask('Authorize', { organization, action: 'webhook.secret' });
      if (usage === undefined) {
        throw new ConsoleError('not_set_up', 'This deployment runs no usage service.');
      }
      await changeWebhooks(ask, organization, (urls) => {
        if (urls.includes(url)) {
          throw new ConsoleError('already_exists', 'There is a webhook with this address already.');
        }
        return [...urls, url];
      });
      const secret = await readSecret(usage, { organization, url });
      return { webhook: { id: webhookId(url), url }, secret };
    },
    deleteWebhook: async ({ params: { organization, webhook } }, ask) => {
      await changeWebhooks(ask, organization, (urls) => {
        const kept = urls.filter((url) => webhookId(url) !== webhook);
        if (kept.length === urls.length) {
          throw new ConsoleError('not_found', 'There is no such webhook.');
        }
        return kept;
      });
      return {};
    },

    listMembers: async ({ params, query }, ask) => {
      const reply = await ask('ListMembers', { ...params, ...pageRequest(query) });
      const members = reply.members.map(({ account, name, email, role, active }) => ({
        account,
        name: accountName({ name, email, id: account }),
        email: textOrNull(email),
        role: Role.parse(role),
        active,
      }));
      return { members, ...pageReply(reply) };
    },
    changeMember: async ({ params, body }, ask) => {
      await ask('SetMemberRole', { ...params, role: body.role });
      return {};
    },
    removeMember: async ({ params }, ask) => {
      await ask('RemoveMember', params);
      return {};
    },

    listInvitations: async ({ params }, ask) => {
      const { invitations } = await ask('ListInvitations', params);
      return { invitations: invitations.map(describeInvitation) };
    },
    createInvitation: async ({ params, body }, ask) => {
      const { invitation, token } = await ask('CreateInvitation', {
        ...params,
        role: body.role,
        email: body.email ?? '',
      });
      // The token is in the fragment of the address. Browsers do not send it to servers, so it reaches no log:
      // https://www.rfc-editor.org/rfc/rfc3986#section-3.5
      return {
        invitation: describeInvitation(present(invitation)),
        url: `${publicUrl}/invitation#${token}`,
      };
    },
    revokeInvitation: async ({ params }, ask) => {
      await ask('RevokeInvitation', params);
      return {};
    },

    listProjects: async ({ params, query }, ask) => {
      const reply = await ask('ListProjects', { ...params, ...pageRequest(query) });
      return { projects: reply.projects.map(describeProject), ...pageReply(reply) };
    },
    createProject: async ({ params, body }, ask) =>
      describeProject(await ask('CreateProject', { ...params, name: body.name })),
    renameProject: async ({ params, body }, ask) =>
      describeProject(await ask('RenameProject', { ...params, name: body.name })),
    deleteProject: async ({ params }, ask) => {
      await ask('DeleteProject', params);
      return {};
    },
  };
}

function describeOrganization(
  found: ConsoleReply<'GetOrganization'> | null,
): z.infer<typeof OrganizationReply> {
  const { id, name, personal, plan, role, retention, billing, billingRefusal, budget, webhooks } =
    present(found);
  return OrganizationReply.parse({
    id,
    name,
    personal,
    plan,
    role,
    retention,
    billing,
    billing_refusal: textOrNull(billingRefusal),
    budget: budget && {
      monthly: budget.monthly ?? null,
      thresholds: budget.thresholds,
      hard: budget.hard,
    },
    webhooks: webhooks.map(({ url }) => ({ id: webhookId(url), url })),
  });
}

function describeInvitation(
  found: ConsoleReply<'ListInvitations'>['invitations'][number],
): z.infer<typeof Invitation> {
  return {
    id: found.id,
    role: Role.parse(found.role),
    email: textOrNull(found.email),
    invited_by: found.invitedBy,
    created_at_ms: found.createdAtMs,
    expires_at_ms: found.expiresAtMs,
  };
}

function describeProject({
  id,
  name,
  activeKeys,
}: ConsoleReply<'RenameProject'>): z.infer<typeof Project> {
  return { id, name, active_keys: activeKeys };
}

/** The id of a webhook is its address, encoded for the path of a route. The catalog has no other id for it. */
function webhookId(url: string): string {
  return Buffer.from(url).toString('base64url');
}

/** Replaces the list of webhooks. Rejects if the organization was changed since the list was read. */
async function changeWebhooks(
  ask: AskCatalog,
  organization: string,
  change: (urls: readonly string[]) => readonly string[],
): Promise<void> {
  const { webhooks, sequence } = await ask('GetOrganization', { organization });
  const urls = change(webhooks.map(({ url }) => url));
  await ask('UpdateOrganization', {
    organization,
    sequence,
    webhooks: { webhooks: urls.map((url) => ({ url })) },
  });
}

const SECRET_TRIES = 20;
const BETWEEN_TRIES_MS = 500;

/** Usage reads webhooks from the catalog once a second, so the secret of a new webhook is asked for repeatedly. */
async function readSecret(
  usage: Pick<UsageClient, 'getWebhookSecret'>,
  webhook: { readonly organization: string; readonly url: string },
): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    try {
      return (await callOf('usage', usage.getWebhookSecret(webhook))).secret;
    } catch (error) {
      const isUnknown = error instanceof ConsoleError && error.code === 'not_found';
      if (!isUnknown || tries === SECRET_TRIES) throw error;
    }
    await delay(BETWEEN_TRIES_MS);
  }
}

/** Throws if a part is missing that the catalog always sends. */
function present<Part>(part: Part | null | undefined): Part {
  if (part === null || part === undefined) {
    throw new ConsoleError('internal_error', 'The catalog sent an incomplete reply.');
  }
  return part;
}
