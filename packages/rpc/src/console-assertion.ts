import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { listSetting } from '@sluice/service';
import * as z from 'zod';

/**
 * A console proves for each call who is signed in, by a JWT that it signs with Ed25519 (RFC 7519, RFC 8037). An
 * assertion names its call, so an intercepted one cannot be used for another call.
 */

const AUDIENCE = 'sluice-catalog';
const LIFE_S = 30;
const MAX_LIFE_S = 60;
/** The clocks of a console and a catalog may differ by this much. */
const CLOCK_TOLERANCE_S = 30;

/** The signed-in account, and the session generation in its cookie. */
export interface ConsoleCaller {
  readonly account: string;
  readonly generation: number;
}

export interface AssertionKey {
  readonly name: string;
  readonly privateKey: KeyObject;
}

/** The caller is undefined in an assertion for a call that needs no session. */
export interface VerifiedAssertion {
  readonly caller: ConsoleCaller | undefined;
}

const Header = z.object({ alg: z.literal('EdDSA'), kid: z.string() });

const Claims = z.object({
  aud: z.literal(AUDIENCE),
  call: z.string(),
  sub: z.string().min(1).optional(),
  gen: z.int().min(1).optional(),
  iat: z.number(),
  exp: z.number(),
});

interface Assertion {
  readonly call: string;
  readonly caller: ConsoleCaller | undefined;
  readonly nowMs: number;
}

export function signAssertion(
  { name, privateKey }: AssertionKey,
  { call, caller, nowMs }: Assertion,
): string {
  const iat = Math.floor(nowMs / 1_000);
  const claims = {
    aud: AUDIENCE,
    call,
    ...(caller !== undefined && { sub: caller.account, gen: caller.generation }),
    iat,
    exp: iat + LIFE_S,
  };
  const signed = `${encode({ alg: 'EdDSA', typ: 'JWT', kid: name })}.${encode(claims)}`;
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
}

/** Undefined if the assertion is not signed by one of the keys, is for another call, or is not valid at this time. */
export function verifyAssertion(
  token: string,
  { keys, call, nowMs }: { keys: ReadonlyMap<string, KeyObject>; call: string; nowMs: number },
): VerifiedAssertion | undefined {
  const [head = '', body = '', signature = '', ...rest] = token.split('.');
  const header = Header.safeParse(decode(head)).data;
  const key = header === undefined ? undefined : keys.get(header.kid);
  if (key === undefined || rest.length > 0) return undefined;
  const isSigned = verify(
    null,
    Buffer.from(`${head}.${body}`),
    key,
    Buffer.from(signature, 'base64url'),
  );
  const claims = isSigned ? Claims.safeParse(decode(body)).data : undefined;
  if (claims === undefined || claims.call !== call || !isCurrent(claims, nowMs)) return undefined;
  const { sub: account, gen: generation } = claims;
  if (account === undefined && generation === undefined) return { caller: undefined };
  if (account === undefined || generation === undefined) return undefined;
  return { caller: { account, generation } };
}

function isCurrent({ iat, exp }: { iat: number; exp: number }, nowMs: number): boolean {
  const now = nowMs / 1_000;
  return exp - iat <= MAX_LIFE_S && iat <= now + CLOCK_TOLERANCE_S && now < exp + CLOCK_TOLERANCE_S;
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

function decode(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  } catch {
    // Not a JWT, so the assertion is refused like a forged one.
    return undefined;
  }
}

const KEY = /^(?<name>[A-Za-z0-9][A-Za-z0-9._@-]{0,63}):(?<bytes>[A-Za-z0-9_-]{43})$/;

/** An Ed25519 private key as 32 bytes needs this beginning of a PKCS #8 document (RFC 8410, section 7). */
const PKCS8_BEGINNING = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The private key of a console: `name:` and 32 bytes in base64url. */
export function assertionKeySetting() {
  return z.string().transform((text, context): AssertionKey => {
    const { name, bytes } = KEY.exec(text)?.groups ?? {};
    if (name === undefined || bytes === undefined) {
      context.addIssue({
        code: 'custom',
        message: 'must be a name, a colon and the 32 bytes of an Ed25519 key in base64url',
      });
      return z.NEVER;
    }
    const key = Buffer.concat([PKCS8_BEGINNING, Buffer.from(bytes, 'base64url')]);
    return { name, privateKey: createPrivateKey({ key, format: 'der', type: 'pkcs8' }) };
  });
}

/** The public keys of consoles: `name:key,…`, each key 32 bytes in base64url. */
export function consoleKeysSetting() {
  return listSetting().transform((items, context): ReadonlyMap<string, KeyObject> => {
    const keys = new Map<string, KeyObject>();
    for (const item of items) {
      const { name, bytes: x } = KEY.exec(item)?.groups ?? {};
      if (name === undefined || x === undefined || keys.has(name)) {
        context.addIssue({
          code: 'custom',
          message:
            'must be name:key pairs separated by commas, each name once, each key the 32 bytes of an Ed25519 public key in base64url',
        });
        return z.NEVER;
      }
      keys.set(name, createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } }));
    }
    return keys;
  });
}

/** What CONSOLE_KEYS holds for a private key. */
export function publicAssertionKey({ name, privateKey }: AssertionKey): string {
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  if (x === undefined) throw new Error('an Ed25519 public key has no x');
  return `${name}:${x}`;
}
