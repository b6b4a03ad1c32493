import { createPublicKey, generateKeyPairSync, sign, verify, type KeyObject } from 'node:crypto';
import { PLAYGROUND_PREFIX, isWellFormedPlaygroundToken, randomBase62 } from '@sluice/contracts';
import * as z from 'zod';
import type { SigningKey } from './entry-kinds.ts';

/** The payload of a token. It is not encrypted, so it contains ids only. */
const PlaygroundClaims = z.object({
  id: z.string().min(1),
  /** The id of the signing key. */
  key: z.string().min(1),
  account: z.string().min(1),
  project: z.string().min(1),
  expires_at_ms: z.int().min(0),
});
export type PlaygroundClaims = z.infer<typeof PlaygroundClaims>;

export interface SigningKeyPair {
  readonly id: string;
  readonly privateKey: KeyObject;
  /** 32 bytes, base64url. */
  readonly publicKey: string;
}

export function makeSigningKeyPair(): SigningKeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x } = publicKey.export({ format: 'jwk' });
  if (x === undefined) throw new Error('an Ed25519 public key has no x');
  return { id: randomBase62(16), privateKey, publicKey: x };
}

/** The format is `pg-<claims>.<signature>`, both in base64url. The signature covers everything before the dot. */
export function signPlaygroundToken(
  claims: PlaygroundClaims,
  { privateKey }: SigningKeyPair,
): string {
  const signed = PLAYGROUND_PREFIX + Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
}

/** Returns the claims of a token with a valid signature, otherwise undefined. Does not check the expiry. */
export function verifyPlaygroundToken(
  token: string,
  signingKey: (id: string) => SigningKey | undefined,
): PlaygroundClaims | undefined {
  if (!isWellFormedPlaygroundToken(token)) return undefined;
  const dot = token.lastIndexOf('.');
  const signed = token.slice(0, dot);
  const claims = readClaims(signed.slice(PLAYGROUND_PREFIX.length));
  const key = claims === undefined ? undefined : signingKey(claims.key);
  if (claims === undefined || key === undefined) return undefined;
  const encodedSignature = token.slice(dot + 1);
  const signature = Buffer.from(encodedSignature, 'base64url');
  // The last base64url character has unused bits, which must be 0 so that a token has only one spelling.
  if (signature.toString('base64url') !== encodedSignature) return undefined;
  return verify(null, Buffer.from(signed), publicKeyOf(key), signature) ? claims : undefined;
}

function readClaims(encoded: string): PlaygroundClaims | undefined {
  try {
    const result = PlaygroundClaims.safeParse(
      JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8')),
    );
    return result.data;
  } catch {
    // The claims are not JSON, so the token is forged.
    return undefined;
  }
}

function publicKeyOf({ public_key }: SigningKey): KeyObject {
  return createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: public_key } });
}
