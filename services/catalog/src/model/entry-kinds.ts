import {
  BudgetStop,
  Invitation,
  RESOURCE_KINDS,
  ResourceSchemas,
  SignInLink,
  type ResourceKind,
  type ResourceOf,
} from '@sluice/contracts';
import * as z from 'zod';

/** The public key of a pair that signs playground tokens. The private key never leaves the replica that made it. */
export const SigningKey = z.strictObject({
  id: z.string().regex(/^[A-Za-z0-9]{1,64}$/),
  /** 32 bytes, base64url. */
  public_key: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  created_at_ms: z.int().min(0),
  /** The time at which all tokens that were signed with this key have expired. */
  expires_at_ms: z.int().min(0),
});
export type SigningKey = z.infer<typeof SigningKey>;

/** The kinds of entries that only the catalog writes. Operators do not manage them as resources. */
const OwnSchemas = {
  signing_keys: SigningKey,
  invitations: Invitation,
  sign_in_links: SignInLink,
  /** What the usage service decided about budgets. */
  budget_stops: BudgetStop,
} as const;
type OwnKind = keyof typeof OwnSchemas;

/** All kinds of entries in the store: the resources of operators, and those that only the catalog writes. */
export const ENTRY_KINDS = [
  ...RESOURCE_KINDS,
  'signing_keys',
  'invitations',
  'sign_in_links',
  'budget_stops',
] as const satisfies readonly (ResourceKind | OwnKind)[];
export type EntryKind = (typeof ENTRY_KINDS)[number];

export type DocumentOf<Kind extends EntryKind> = Kind extends ResourceKind
  ? ResourceOf<Kind>
  : Kind extends OwnKind
    ? z.infer<(typeof OwnSchemas)[Kind]>
    : never;

type SchemaByKind = { readonly [Kind in EntryKind]: z.ZodType<DocumentOf<Kind>> };

export const EntrySchemas: SchemaByKind = { ...ResourceSchemas, ...OwnSchemas };

export function isEntryKind(text: string): text is EntryKind {
  return (ENTRY_KINDS as readonly string[]).includes(text);
}

export function isResourceKind(text: string): text is ResourceKind {
  return (RESOURCE_KINDS as readonly string[]).includes(text);
}

/** The name of one resource, for messages. */
export const KIND_LABELS: Readonly<Record<EntryKind, string>> = {
  plans: 'plan',
  models: 'model',
  accounts: 'account',
  organizations: 'organization',
  projects: 'project',
  api_keys: 'API key',
  signing_keys: 'signing key',
  invitations: 'invitation',
  sign_in_links: 'sign-in link',
  budget_stops: 'budget stop',
};

export function entryName(kind: EntryKind, id: string): string {
  return `${kind}/${id}`;
}

export function parseEntryName(name: string): { kind: EntryKind; id: string } | undefined {
  const slash = name.indexOf('/');
  const kind = name.slice(0, slash);
  const id = name.slice(slash + 1);
  return slash > 0 && id !== '' && isEntryKind(kind) ? { kind, id } : undefined;
}

/** Compares by UTF-16 code units, so the order does not depend on the locale. */
export function compareIds(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
