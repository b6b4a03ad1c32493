import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { BASE62, randomBase62 } from './ids.ts';

const API_KEY_PREFIX = 'sk-';
export const PLAYGROUND_PREFIX = 'pg-';
export const PLAYGROUND_TOKEN_LIFE_MS = 10 * 60_000;
const SECRET_LENGTH = 43;
/** Enough base-62 digits for 32 bits. */
const CHECKSUM_LENGTH = 6;

const API_KEY_SHAPE = new RegExp(
  `^${API_KEY_PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`,
);

export function mintApiKey(): string {
  const secret = randomBase62(SECRET_LENGTH);
  return `${API_KEY_PREFIX}${secret}${checksum(secret)}`;
}

/**
 * Checks the shape and the checksum, so that a mistyped key is refused without a look-up. It does not check whether the
 * key exists.
 */
export function isWellFormedApiKey(text: string): boolean {
  if (!API_KEY_SHAPE.test(text)) return false;
  const end = API_KEY_PREFIX.length + SECRET_LENGTH;
  return text.slice(end) === checksum(text.slice(API_KEY_PREFIX.length, end));
}

/** Claims of at most 768 bytes, a dot and an Ed25519 signature. Claims and signature are in base64url. */
const PLAYGROUND_TOKEN_SHAPE = new RegExp(
  `^${PLAYGROUND_PREFIX}[A-Za-z0-9_-]{1,1024}\\.[A-Za-z0-9_-]{86}$`,
);

/** Checks the shape only, so that other text is refused without a look-up. The signature is not verified. */
export function isWellFormedPlaygroundToken(text: string): boolean {
  return PLAYGROUND_TOKEN_SHAPE.test(text);
}

/** The hash of a key. Keys are stored and looked up as hashes only. */
export function apiKeyDigest(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

function checksum(secret: string): string {
  let rest = crc32(secret);
  let text = '';
  for (let digit = 0; digit < CHECKSUM_LENGTH; digit += 1) {
    text = BASE62.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
