import {
  RESOURCE_KINDS,
  ResourceSchemas,
  type ResourceKind,
  type ResourceOf,
} from '@sluice/contracts';
import * as z from 'zod';

/** The public half of a key that signs playground credentials. The private half never leaves the replica that made it. */
export const SigningKey = z.strictObject({
  id: z.string().regex(/^[A-Za-z0-9]{1,64}$/),
  /** 32 bytes, base64url. */
  public_key: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  created_at_ms: z.int().min(0),
  /** From then on no credential signed with it can be alive. */
  expires_at_ms: z.int().min(0),
});
export type SigningKey = z.infer<typeof SigningKey>;

/** Everything that has entries in the store: what operators manage, and what the catalog keeps for itself. */
export const ENTRY_KINDS = [...RESOURCE_KINDS, 'signing_keys'] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

export type DocumentOf<Kind extends EntryKind> = Kind extends ResourceKind
  ? ResourceOf<Kind>
  : SigningKey;

type SchemaByKind = { readonly [Kind in EntryKind]: z.ZodType<DocumentOf<Kind>> };

export const EntrySchemas: SchemaByKind = { ...ResourceSchemas, signing_keys: SigningKey };

export function isEntryKind(text: string): text is EntryKind {
  return (ENTRY_KINDS as readonly string[]).includes(text);
}

export function isResourceKind(text: string): text is ResourceKind {
  return (RESOURCE_KINDS as readonly string[]).includes(text);
}

/** The singular, for messages to people. */
export const NOUNS: Readonly<Record<EntryKind, string>> = {
  plans: 'plan',
  models: 'model',
  accounts: 'account',
  organizations: 'organization',
  projects: 'project',
  api_keys: 'API key',
  signing_keys: 'signing key',
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
