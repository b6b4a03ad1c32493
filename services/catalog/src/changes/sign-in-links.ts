import { hash } from 'node:crypto';
import { randomBase62, type SignInLink } from '@sluice/contracts';
import { requireEntry } from '../model/reference-rules.ts';
import type { PlanChange } from './change-writer.ts';

const SIGN_IN_LINK_LIFE_MS = 10 * 60_000;
const SECRET_LENGTH = 43;

/** The hash of a one-time token. Tokens are stored and looked up as hashes only. */
function tokenDigest(token: string): string {
  return hash('sha256', token, 'hex');
}

function mintToken(prefix: string): string {
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
