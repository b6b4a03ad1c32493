import {
  effectiveLimits,
  effectiveScheduling,
  limitsSequence,
  type AccessRefusal,
  type BillingRefusal,
  type Limits,
  type Organization,
  type Revision,
  type Scheduling,
} from '@sluice/contracts';
import { accessRefusal, billingRefusal, type CredentialKind } from '../model/access-refusal.ts';
import { CatalogError } from '../model/catalog-error.ts';
import type { CatalogView } from '../model/catalog-state.ts';
import type { EntryKind } from '../model/entry-kinds.ts';
import { verifyPlaygroundToken } from '../model/playground-token.ts';

/** The account and project that a valid credential acts for, with the limits that apply. */
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
  readonly scheduling: Scheduling;
  readonly expiresAtMs: number | null;
  readonly accessRefusal: AccessRefusal | undefined;
  readonly billingRefusal: BillingRefusal | undefined;
}

/** Undefined if the key is unknown, revoked or expired. Callers cannot tell these apart. */
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

/** Undefined if the token is forged or expired, or if its project or account was deleted. */
export function resolvePlaygroundToken(
  catalog: CatalogView,
  token: string,
  nowMs: number,
): Principal | undefined {
  const claims = verifyPlaygroundToken(token, (id) => catalog.get('signing_keys', id)?.document);
  if (claims === undefined || claims.expires_at_ms <= nowMs) return undefined;
  // Unlike an API key, a token does not prevent the deletion of its project and account.
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
    scheduling: effectiveScheduling(plan.document, organization.document),
    accessRefusal: accessRefusal({
      account: account.document,
      organization: organization.document,
      plan: plan.document,
      credentialKind: credential.credentialKind,
    }),
    billingRefusal: billingRefusal(
      organization.document,
      catalog.get('budget_stops', organization.document.id)?.document,
    ),
  };
}

/**
 * An entry that a key refers to cannot be deleted, so if it is missing, it could not be read. The key may be valid,
 * so the error is `unavailable` and not an unknown credential.
 */
function existing<Kind extends EntryKind>(catalog: CatalogView, kind: Kind, id: string) {
  const found = catalog.get(kind, id);
  if (found === undefined) {
    throw new CatalogError('unavailable', `an entry of ${kind} cannot be read`);
  }
  return found;
}
