import type { Organization, ResourceKind } from './resources.ts';

/**
 * Fields that people change in the console. If a document of an operator leaves one out, its value stays as it is, so a
 * file for `sluice apply` does not have to repeat what people entered. To remove a value, a document sets it to null,
 * or to an empty list.
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

interface StoredDocument {
  readonly id: string;
  readonly members?: Organization['members'];
}

/** The wanted document, plus those kept fields of the present document that the wanted one leaves out. */
export function withKeptFields<Document extends StoredDocument>(
  kind: ResourceKind,
  present: StoredDocument,
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
