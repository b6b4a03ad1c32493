import { createHash, timingSafeEqual } from 'node:crypto';
import { listSetting } from '@sluice/service';
import * as z from 'zod';

const TOKEN = /^(?<name>[A-Za-z0-9][A-Za-z0-9._@-]{0,63}):(?<token>[\x21-\x2b\x2d-\x7e]{16,})$/;

/** `name:token,…`. No token may have the reserved name. */
export function adminTokensSetting(reservedName?: string) {
  return listSetting().transform((items, context) => {
    const tokens = new Map<string, string>();
    for (const item of items) {
      const fault = addToken(tokens, item, reservedName);
      if (fault === undefined) continue;
      context.addIssue({ code: 'custom', message: fault });
      return z.NEVER;
    }
    return tokens;
  });
}

/** Adds a token, or returns what is wrong with it. The message does not repeat the input, which may be a secret. */
function addToken(
  tokens: Map<string, string>,
  item: string,
  reservedName: string | undefined,
): string | undefined {
  const { name, token } = TOKEN.exec(item)?.groups ?? {};
  const isPair = name !== undefined && token !== undefined;
  if (!isPair || tokens.has(name) || name === reservedName) {
    const exception = reservedName === undefined ? '' : ` and not ${reservedName}`;
    return `must be name:token pairs separated by commas, each name once${exception}, each token of 16 or more printable characters`;
  }
  // With the same token, the author of a change would be ambiguous.
  const [sameFor] = Array.from(tokens).find(([, other]) => other === token) ?? [];
  if (sameFor !== undefined) {
    return `must give each name a token of its own: ${sameFor} and ${name} have the same`;
  }
  tokens.set(name, token);
  return undefined;
}

/** Returns a function that finds the owner of a token, in constant time. Keeps digests only, not the tokens. */
export function authenticateByTokens(
  tokens: ReadonlyMap<string, string>,
): (token: string) => string | undefined {
  const digests = Array.from(tokens, ([name, token]) => ({ name, digest: digestOf(token) }));
  return (presented) => {
    const digest = digestOf(presented);
    let owner: string | undefined;
    for (const known of digests) if (timingSafeEqual(known.digest, digest)) owner = known.name;
    return owner;
  };
}

/** `timingSafeEqual` needs values of equal length. */
function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
