import { apiKeyDigest, mintApiKey, randomBase62, type ApiKey } from '@sluice/contracts';
import { CatalogError } from './catalog-error.ts';
import type { CatalogView } from './catalog-state.ts';
import type { Decide } from './change-writer.ts';
import { getResource, parseResource } from './manage-resources.ts';
import { requireActiveMember, requireEntry } from './reference-rules.ts';

export interface ApiKeyOrder {
  readonly project: string;
  readonly name: string;
  /** The account that the key will speak for. */
  readonly creator: string;
  readonly expiresAtMs: number | null;
}

export interface MintedApiKey {
  readonly id: string;
  /** Shown once and kept nowhere. */
  readonly key: string;
  readonly decide: Decide<'api_keys'>;
}

export function mintOrderedApiKey(order: ApiKeyOrder, nowMs: number): MintedApiKey {
  const key = mintApiKey();
  const document = parseResource('api_keys', {
    id: `key_${randomBase62(20)}`,
    project: order.project,
    name: order.name,
    creator: order.creator,
    sha256: apiKeyDigest(key).toString('hex'),
    last_four: key.slice(-4),
    created_at_ms: nowMs,
    expires_at_ms: order.expiresAtMs,
    revoked_at_ms: null,
  } satisfies ApiKey);
  if (order.expiresAtMs !== null && order.expiresAtMs <= nowMs) {
    throw new CatalogError('invalid', 'the API key would be expired from the start');
  }
  return {
    id: document.id,
    key,
    decide: (catalog) => {
      requireMayCreateKeys(catalog, order);
      return { kind: 'api_keys', id: document.id, action: 'create', document };
    },
  };
}

export function decideRevoke(id: string, nowMs: number): Decide<'api_keys'> {
  return (catalog) => {
    const { document } = getResource(catalog, 'api_keys', id);
    // Revoking twice keeps the first date.
    if (document.revoked_at_ms !== null) return 'nothing';
    return {
      kind: 'api_keys',
      id,
      action: 'revoke',
      document: { ...document, revoked_at_ms: nowMs },
    };
  };
}

/** Waiting accounts get no keys; nor does a restricted one, or somebody outside the project's organization. */
function requireMayCreateKeys(catalog: CatalogView, { project, creator }: ApiKeyOrder): void {
  const { document: owner } = requireEntry(catalog, 'projects', project);
  const { document: account } = requireEntry(catalog, 'accounts', creator);
  const { document: organization } = requireEntry(catalog, 'organizations', owner.organization);
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
