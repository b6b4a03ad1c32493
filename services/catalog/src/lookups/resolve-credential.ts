import {
  effectiveLimits,
  limitsSequence,
  type AccessRefusal,
  type BillingRefusal,
  type Limits,
  type Organization,
  type Revision,
} from '@sluice/contracts';
import { accessRefusal, billingRefusal, type CredentialKind } from './access-refusal.ts';
import { CatalogError } from './catalog-error.ts';
import type { CatalogView } from './catalog-state.ts';
import type { EntryKind } from './entry-kinds.ts';
import { verifyPlaygroundToken } from './playground-token.ts';

/** Who a valid credential speaks for, and on which terms. */
export interface Principal {
  readonly credentialKind: CredentialKind;
  readonly credentialId: string;
  readonly account: string;
  readonly project: string;
  readonly organization: string;
  readonly plan: string;
  readonly retention: Organization['retention'];
  readonly limits: Limits;
  readonly limitsRevision: Revision;
  readonly expiresAtMs: number | null;
  readonly accessRefusal: AccessRefusal | undefined;
  readonly billingRefusal: BillingRefusal | undefined;
}

/** Undefined when the key is unknown, revoked or expired: to the caller these are the same. */
export function resolveApiKey(
  catalog: CatalogView,
  sha256: string,
  nowMs: number,
): Principal | undefined {
  const key = catalog.apiKeyByDigest(sha256)?.document;
  if (key === undefined || key.revoked_at_ms !== null) return undefined;
  if (key.expires_at_ms !== null && key.expires_at_ms <= nowMs) return undefined;
  return principal(catalog, {
    credentialKind: 'api_key',
    credentialId: key.id,
    account: key.creator,
    project: key.project,
    expiresAtMs: key.expires_at_ms,
  });
}

/** Undefined when the token is forged or expired, or when its project or account is gone. */
export function resolvePlaygroundToken(
  catalog: CatalogView,
  token: string,
  nowMs: number,
): Principal | undefined {
  const claims = verifyPlaygroundToken(token, (id) => catalog.get('signing_keys', id)?.document);
  if (claims === undefined || claims.expires_at_ms <= nowMs) return undefined;
  // Unlike a key, a token does not keep what it speaks for from being deleted.
  if (catalog.get('projects', claims.project) === undefined) return undefined;
  if (catalog.get('accounts', claims.account) === undefined) return undefined;
  return principal(catalog, {
    credentialKind: 'playground',
    credentialId: claims.id,
    account: claims.account,
    project: claims.project,
    expiresAtMs: claims.expires_at_ms,
  });
}

type Credential = Pick<
  Principal,
  'credentialKind' | 'credentialId' | 'account' | 'project' | 'expiresAtMs'
>;

function principal(catalog: CatalogView, credential: Credential): Principal {
  const account = existing(catalog, 'accounts', credential.account);
  const project = existing(catalog, 'projects', credential.project);
  const organization = existing(catalog, 'organizations', project.document.organization);
  const plan = existing(catalog, 'plans', organization.document.plan);
  return {
    ...credential,
    organization: organization.document.id,
    plan: plan.document.id,
    retention: organization.document.retention,
    limits: effectiveLimits(plan, organization),
    limitsRevision: {
      epoch: catalog.position.epoch,
      sequence: limitsSequence(plan, organization),
    },
    accessRefusal: accessRefusal({
      account: account.document,
      organization: organization.document,
      plan: plan.document,
      credentialKind: credential.credentialKind,
    }),
    billingRefusal: billingRefusal(organization.document),
  };
}

/**
 * What a key refers to cannot be deleted, so its absence means that the entry cannot be read: the key may well be
 * good, and its owner must not be told to throw it away.
 */
function existing<Kind extends EntryKind>(catalog: CatalogView, kind: Kind, id: string) {
  const found = catalog.get(kind, id);
  if (found === undefined) {
    throw new CatalogError('unavailable', `an entry of ${kind} cannot be read`);
  }
  return found;
}
