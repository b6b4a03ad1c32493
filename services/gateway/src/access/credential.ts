import { hash } from 'node:crypto';
import {
  PLAYGROUND_PREFIX,
  ServiceError,
  apiKeyDigest,
  isWellFormedApiKey,
  isWellFormedPlaygroundToken,
} from '@sluice/contracts';

export type Credential =
  | { readonly kind: 'api_key'; readonly digest: Buffer; readonly fingerprint: string }
  | { readonly kind: 'playground'; readonly token: string; readonly fingerprint: string };

const BEARER = /^bearer[ \t]+(\S.*)$/i;

/**
 * Reads the credential of a request. It takes `rawHeaders` (name, value, name, value, …), because in `headers` Node
 * silently discards a second Authorization header: https://nodejs.org/docs/latest-v24.x/api/http.html#messageheaders
 *
 * Only the digest of an API key is kept. A playground token is kept whole, because the catalog checks its signature.
 */
export function readCredential(rawHeaders: readonly string[]): Credential {
  const text = bearerOf(onlyAuthorization(rawHeaders));
  if (text.startsWith(PLAYGROUND_PREFIX)) {
    if (!isWellFormedPlaygroundToken(text)) throw invalidCredential();
    return { kind: 'playground', token: text, fingerprint: fingerprintOf(text) };
  }
  if (!isWellFormedApiKey(text)) throw invalidCredential();
  const digest = apiKeyDigest(text);
  return { kind: 'api_key', digest, fingerprint: digest.toString('base64') };
}

export function invalidCredential(): ServiceError {
  return new ServiceError('invalid_api_key', 'The API key is incorrect, revoked or expired.');
}

function onlyAuthorization(rawHeaders: readonly string[]): string {
  let found: string | undefined;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length !== 13 || name.toLowerCase() !== 'authorization') continue;
    if (found !== undefined) {
      throw missingCredential('More than one Authorization header was sent.');
    }
    found = rawHeaders[index + 1] ?? '';
  }
  return found ?? '';
}

function bearerOf(header: string): string {
  const token = BEARER.exec(header)?.[1];
  if (token === undefined) {
    throw missingCredential(
      'No API key was sent. Send it in the Authorization header: Authorization: Bearer <API key>.',
    );
  }
  return token;
}

function missingCredential(message: string): ServiceError {
  return new ServiceError('missing_api_key', message);
}

function fingerprintOf(text: string): string {
  return hash('sha256', text, 'base64');
}
