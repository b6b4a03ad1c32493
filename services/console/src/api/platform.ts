import * as z from 'zod';
import { Identifier, Moment, PageQuery, SearchQuery, pageOf } from './fields.ts';
import { SessionAccount } from './session.ts';

/** The kinds of resources that operators can see and change. */
const PLATFORM_KINDS = ['models', 'plans', 'organizations', 'projects'] as const;

/** A resource, with the field names of the files that `sluice apply` reads. */
const Document = z.record(z.string(), z.unknown());
/** The id of a model may contain slashes. In a path it is percent-encoded. */
const ResourceId = z.string().min(1).max(256);
const Sequence = z.coerce.number().int().min(0);

export const KindPath = z.object({ kind: z.enum(PLATFORM_KINDS) });
export const ResourcePath = KindPath.extend({ id: ResourceId });
/** `organization` selects the projects of one organization. */
export const ResourcesQuery = SearchQuery.extend({ organization: Identifier.optional() });
export const ResourceItem = z.object({
  id: ResourceId,
  /** Sent with a change, which is refused if the resource was changed since. */
  sequence: z.number(),
  document: Document,
});
export const ResourcesReply = pageOf('resources', ResourceItem);
export const ResourceReply = z.object({ resource: ResourceItem });
export const CreateResourceBody = z.strictObject({ document: Document });
export const ReplaceResourceBody = z.strictObject({ document: Document, sequence: z.int().min(0) });
export const DeleteResourceQuery = z.object({ sequence: Sequence });

const ACCOUNT_FILTERS = ['waiting', 'granted', 'restricted', 'operators'] as const;
export const AccountItem = SessionAccount.extend({
  linked: z.boolean().describe('Whether somebody has signed in to it at the provider.'),
  created_at_ms: Moment.nullable(),
  terms_accepted_at_ms: Moment.nullable(),
});
export const AccountsQuery = SearchQuery.extend({ filter: z.enum(ACCOUNT_FILTERS).optional() });
export const AccountsReply = pageOf('accounts', AccountItem);
export const AccountPath = z.object({ account: Identifier });
export const ACCOUNT_ACTIONS = [
  'grant',
  'wait',
  'restrict',
  'unrestrict',
  'make-operator',
  'unmake-operator',
  'end-sessions',
  'erase',
] as const;
export const AccountActionPath = AccountPath.extend({ action: z.enum(ACCOUNT_ACTIONS) });
/** Everything that is stored about the person. The page saves it as a file. */
export const PersonalDataReply = z.record(z.string(), z.unknown());

export const AuditItem = z.object({
  sequence: z.number(),
  at_ms: Moment,
  who: z.string().describe('The name of an admin token, or account:ID.'),
  action: z.string(),
  kind: z.string(),
  id: z.string(),
  before: Document.nullable(),
  after: Document.nullable(),
});
export const AuditQuery = PageQuery.extend({
  kind: z.string().max(64).optional(),
  id: z.string().max(256).optional(),
});
export const AuditReply = pageOf('records', AuditItem);
