import { hash } from 'node:crypto';
import { randomBase62, type SignInLink } from '@sluice/contracts';
import { CatalogError } from '../model/catalog-error.ts';
import type { CatalogView } from '../model/catalog-state.ts';
import { requireEntry } from '../model/reference-rules.ts';
import type { ChangeWriter, PlanChange } from './change-writer.ts';
import { CATALOG_ITSELF } from './playground-issuer.ts';

const SIGN_IN_LINK_LIFE_MS = 10 * 60_000;
const SECRET_LENGTH = 43;

/** The hash of a one-time token. Tokens are stored and looked up as hashes only. */
export function tokenDigest(token: string): string {
  return hash('sha256', token, 'hex');
}

export function mintToken(prefix: string): string {
  return `${prefix}${randomBase62(SECRET_LENGTH)}`;
}

export interface MintedSignInLink {
  /** Shown once and not stored. */
  readonly token: string;
  readonly expiresAtMs: number;
  readonly planChange: PlanChange<'sign_in_links'>;
}

export function mintSignInLink(account: string, nowMs: number): MintedSignInLink {
  const token = mintToken('link-');
  const expiresAtMs = nowMs + SIGN_IN_LINK_LIFE_MS;
  const document: SignInLink = {
    id: `sil_${randomBase62(20)}`,
    account,
    sha256: tokenDigest(token),
    expires_at_ms: expiresAtMs,
  };
  return {
    token,
    expiresAtMs,
    planChange: (catalog) => {
      requireEntry(catalog, 'accounts', account);
      return { kind: 'sign_in_links', id: document.id, action: 'create', document };
    },
  };
}

export interface Redemption {
  /** The account of the link. */
  readonly account: (catalog: CatalogView) => string;
  /** Deletes the link, so that only the first of several concurrent uses succeeds. */
  readonly planChange: PlanChange<'sign_in_links'>;
}

export function planRedeem(token: string, nowMs: number): Redemption {
  const sha256 = tokenDigest(token);
  return {
    account: (catalog) => requireLink(catalog, sha256, nowMs).account,
    planChange: (catalog) => {
      const { id } = requireLink(catalog, sha256, nowMs);
      return { kind: 'sign_in_links', id, action: 'delete', document: null };
    },
  };
}

function requireLink(catalog: CatalogView, sha256: string, nowMs: number): SignInLink {
  for (const { document } of catalog.all('sign_in_links')) {
    const { account, expires_at_ms: expires } = document;
    if (document.sha256 !== sha256 || expires <= nowMs) continue;
    if (catalog.get('accounts', account) !== undefined) return document;
  }
  throw new CatalogError('not_found', 'the sign-in link is unknown, used or expired', {
    reason: 'invalid_sign_in_link',
  });
}

const MAX_DELETED_AT_ONCE = 20;

/**
 * Deletes expired sign-in links and invitations. They are refused in any case, so those above the limit can wait for
 * the next call.
 */
export async function deleteExpiredTokens(
  catalog: CatalogView,
  writer: ChangeWriter,
  nowMs: number,
): Promise<void> {
  for (const kind of ['sign_in_links', 'invitations'] as const) {
    const expired = Array.from(catalog.all(kind), ({ document }) => document)
      .filter(({ expires_at_ms }) => expires_at_ms <= nowMs)
      .slice(0, MAX_DELETED_AT_ONCE);
    for (const { id } of expired) {
      await writer.change(CATALOG_ITSELF, (current) =>
        current.get(kind, id) === undefined
          ? 'nothing'
          : { kind, id, action: 'delete', document: null, erasesHistory: true },
      );
    }
  }
}
