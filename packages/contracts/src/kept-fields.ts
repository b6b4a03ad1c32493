import type { Organization, ResourceKind } from './resources.ts';

/**
 * Fields that people change in the console. A document of an operator that leaves one out keeps it as it is, so that a
 * file for `sluice apply` need not repeat what people do. To remove a value, a document says null, or an empty list.
 */
const KEPT_FIELDS: Readonly<Record<ResourceKind, readonly string[]>> = {
  plans: [],
  models: [],
  accounts: [
    'operator',
    'name',
    'email',
    'identities',
    'session_generation',
    'terms_accepted_at_ms',
    'created_at_ms',
    'managed_by',
  ],
  organizations: ['name', 'personal_of', 'managed_by', 'budget', 'webhooks'],
  projects: ['name', 'managed_by'],
  api_keys: [],
};

interface Held {
  readonly id: string;
  readonly members?: Organization['members'];
}

/** The wanted document with the kept fields of the present one, as far as it leaves them out. */
export function withKeptFields<Document extends Held>(
  kind: ResourceKind,
  present: Held,
  wanted: Document,
): Document {
  const kept = Object.entries(present).filter(([field]) => KEPT_FIELDS[kind].includes(field));
  const document = { ...Object.fromEntries<unknown>(kept), ...wanted };
  const { members: before } = present;
  const { members } = wanted;
  if (before === undefined || members === undefined) return document;
  return { ...document, members: members.map((member) => withKeptRole(before, member)) };
}

type Member = Organization['members'][number];

function withKeptRole(before: readonly Member[], member: Member): Member {
  const role = member.role ?? before.find(({ account }) => account === member.account)?.role;
  return role === undefined ? member : { ...member, role };
}
