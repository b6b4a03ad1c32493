import * as z from 'zod';
import type { SealedKind, Sealer } from './sealed-text.ts';

const SessionClaims = z.object({
  sub: z.string().min(1),
  /** The session generation of the account. The catalog refuses every call of an earlier generation. */
  gen: z.int().min(1),
  /** When the person signed in, in Unix seconds. */
  auth_time: z.int(),
  /** When this cookie was sealed, in Unix seconds. */
  iat: z.int(),
  /** How the person signed in. */
  via: z.enum(['provider', 'link']),
});

export interface Session {
  readonly account: string;
  readonly generation: number;
  readonly signedInAtMs: number;
  readonly sealedAtMs: number;
  readonly via: 'provider' | 'link';
}

export interface SessionOptions {
  readonly sealer: Sealer;
  /** How long a person stays signed in. Sealing a cookie again does not prolong it. */
  readonly lifeMs: number;
  readonly wallClock: () => number;
}

/** After this time, a cookie is sealed again, with the newest key. */
const SEAL_AGAIN_AFTER_MS = 600_000;

/** Reads and writes the value of the session cookie. The console stores sessions only in cookies. */
export class Sessions {
  readonly #sealer: Sealer;
  readonly #lifeMs: number;
  readonly #wallClock: () => number;

  constructor({ sealer, lifeMs, wallClock }: SessionOptions) {
    this.#sealer = sealer;
    this.#lifeMs = lifeMs;
    this.#wallClock = wallClock;
  }

  /** The value of the cookie of a person who has just signed in. */
  begin(who: Pick<Session, 'account' | 'generation' | 'via'>): Promise<string> {
    return this.seal({ ...who, signedInAtMs: this.#wallClock() });
  }

  async read(cookie: string): Promise<Session | undefined> {
    const claims = await this.#sealer.open(this.#kind(this.#lifeMs), cookie);
    if (claims === undefined) return undefined;
    return {
      account: claims.sub,
      generation: claims.gen,
      signedInAtMs: claims.auth_time * 1_000,
      sealedAtMs: claims.iat * 1_000,
      via: claims.via,
    };
  }

  shouldSealAgain({ sealedAtMs }: Session): boolean {
    return this.#wallClock() - sealedAtMs >= SEAL_AGAIN_AFTER_MS;
  }

  /** Seals the session again. It ends at the same time as with its first cookie. */
  seal({ account, generation, signedInAtMs, via }: Omit<Session, 'sealedAtMs'>): Promise<string> {
    const now = this.#wallClock();
    return this.#sealer.seal(this.#kind(signedInAtMs + this.#lifeMs - now), {
      sub: account,
      gen: generation,
      auth_time: Math.floor(signedInAtMs / 1_000),
      iat: Math.floor(now / 1_000),
      via,
    });
  }

  #kind(lifeMs: number): SealedKind<z.infer<typeof SessionClaims>> {
    return { purpose: 'session', claims: SessionClaims, lifeMs };
  }
}
