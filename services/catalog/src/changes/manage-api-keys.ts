import { apiKeyDigest, mintApiKey, randomBase62, type ApiKey } from '@sluice/contracts';
import { CatalogError } from '../model/catalog-error.ts';
import type { CatalogView } from '../model/catalog-state.ts';
import { requireActiveMember, requireEntry } from '../model/reference-rules.ts';
import type { PlanChange } from './change-writer.ts';
import { getResource, parseResource } from './manage-resources.ts';

export interface ApiKeyRequest {
  readonly project: string;
  readonly name: string;
  /** The account that the key acts for. */
  readonly creator: string;
  readonly expiresAtMs: number | null;
}

export interface MintedApiKey {
  readonly id: string;
  /** Shown once and not stored. */
  readonly key: string;
  readonly document: ApiKey;
  readonly planChange: PlanChange<'api_keys'>;
}

export function mintRequestedApiKey(request: ApiKeyRequest, nowMs: number): MintedApiKey {
  const key = mintApiKey();
  const document = parseResource('api_keys', {
    id: `key_${randomBase62(20)}`,
    project: request.project,
    name: request.name,
    creator: request.creator,
    sha256: apiKeyDigest(key).toString('hex'),
    last_four: key.slice(-4),
    created_at_ms: nowMs,
    expires_at_ms: request.expiresAtMs,
    revoked_at_ms: null,
  } satisfies ApiKey);
  if (request.expiresAtMs !== null && request.expiresAtMs <= nowMs) {
    throw new CatalogError('invalid', 'the API key would be expired from the start');
  }
  return {
    id: document.id,
    key,
    document,
    planChange: (catalog) => {
      requireMayCreateKeys(catalog, request);
      return { kind: 'api_keys', id: document.id, action: 'create', document };
    },
  };
}

export function planRevoke(id: string, nowMs: number): PlanChange<'api_keys'> {
  return (catalog) => {
    const { document } = getResource(catalog, 'api_keys', id);
    // A second revocation keeps the date of the first.
    if (document.revoked_at_ms !== null) return 'nothing';
    return {
      kind: 'api_keys',
      id,
      action: 'revoke',
      document: { ...document, revoked_at_ms: nowMs },
    };
  };
}

/** The creator must be an active member of the organization, have platform access and not be restricted. */
function requireMayCreateKeys(catalog: CatalogView, request: ApiKeyRequest): void {
  const { document: project } = requireEntry(catalog, 'projects', request.project);
  const { document: account } = requireEntry(catalog, 'accounts', request.creator);
  const { document: organization } = requireEntry(catalog, 'organizations', project.organization);
  requireActiveMember(organization, account.id);
  if (account.access !== 'granted') {
    throw new CatalogError(
      'forbidden_by_state',
      `account ${account.id} is waiting for platform access and cannot create API keys`,
    );
  }
  if (account.restricted) {
    throw new CatalogError(
      'forbidden_by_state',
      `account ${account.id} is restricted and cannot create API keys`,
    );
  }
}
