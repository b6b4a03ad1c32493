import { createHash } from 'node:crypto';
import { EncryptJWT, errors, jwtDecrypt } from 'jose';
import type * as z from 'zod';

export interface SealOptions {
  /** The first key seals, and every key opens. */
  readonly keys: readonly Uint8Array[];
  readonly wallClock: () => number;
}

export interface SealedKind<Claims> {
  /** What the text is for. A text that was sealed for another purpose cannot be opened. */
  readonly purpose: string;
  readonly claims: z.ZodType<Claims>;
  readonly lifeMs: number;
}

const ENCRYPTION = 'A256GCM';
const KEY_MANAGEMENT = 'dir';

/**
 * Seals claims into a text that only consoles with one of the keys can read or write. The text is a JWE (RFC 7516) with
 * direct encryption.
 */
export class Sealer {
  readonly #keys: ReadonlyMap<string, Uint8Array>;
  readonly #newest: { readonly name: string; readonly key: Uint8Array };
  readonly #wallClock: () => number;

  constructor({ keys, wallClock }: SealOptions) {
    const [key] = keys;
    if (key === undefined) throw new Error('there is no key to seal with');
    this.#keys = new Map(keys.map((each) => [keyId(each), each]));
    this.#newest = { name: keyId(key), key };
    this.#wallClock = wallClock;
  }

  seal<Claims extends Record<string, unknown>>(
    { purpose, lifeMs }: SealedKind<Claims>,
    claims: Claims,
  ): Promise<string> {
    const now = Math.floor(this.#wallClock() / 1_000);
    return new EncryptJWT({ ...claims })
      .setProtectedHeader({ alg: KEY_MANAGEMENT, enc: ENCRYPTION, kid: this.#newest.name })
      .setAudience(purpose)
      .setIssuedAt(now)
      .setExpirationTime(now + Math.floor(lifeMs / 1_000))
      .encrypt(this.#newest.key);
  }

  /** Undefined if the text was not sealed by one of the keys for this purpose, or has expired. */
  async open<Claims>(
    { purpose, claims }: SealedKind<Claims>,
    text: string,
  ): Promise<Claims | undefined> {
    try {
      const { payload } = await jwtDecrypt(text, ({ kid = '' }) => this.#keyNamed(kid), {
        audience: purpose,
        keyManagementAlgorithms: [KEY_MANAGEMENT],
        contentEncryptionAlgorithms: [ENCRYPTION],
        requiredClaims: ['exp', 'iat'],
        currentDate: new Date(this.#wallClock()),
      });
      return claims.safeParse(payload).data;
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }

  #keyNamed(name: string): Uint8Array {
    const key = this.#keys.get(name);
    if (key === undefined) throw new errors.JWEDecryptionFailed();
    return key;
  }
}

/** Names a key in the header of a sealed text, without revealing the key. */
function keyId(key: Uint8Array): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 8);
}
