import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply } from 'fastify';
import { ATTEMPT_LIFE_MS } from '../session/provider.ts';

export interface CookieNames {
  readonly session: string;
  /** The state of a sign-in that has begun, until the provider sends the person back. */
  readonly attempt: string;
  /** The secret of the CSRF tokens. */
  readonly csrf: string;
}

export interface Cookies {
  readonly names: CookieNames;
  readonly options: CookieSerializeOptions;
  setSession(reply: FastifyReply, sealed: string, lifeMs: number): void;
  setAttempt(reply: FastifyReply, sealed: string): void;
  clear(reply: FastifyReply, ...names: (keyof CookieNames)[]): void;
}

/**
 * With https, the prefix `__Host-` prevents other hosts of the same domain from setting these cookies:
 * https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis#section-4.1.3
 *
 * With SameSite=Lax, the browser sends the cookie of the attempt when the provider redirects the person back.
 */
export function cookiesOf(publicUrl: string): Cookies {
  const secure = publicUrl.startsWith('https:');
  const prefix = secure ? '__Host-' : '';
  const names = {
    session: `${prefix}sluice-session`,
    attempt: `${prefix}sluice-sign-in`,
    csrf: `${prefix}sluice-csrf`,
  };
  const options = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const;
  const seconds = (ms: number) => Math.max(1, Math.floor(ms / 1_000));
  return {
    names,
    options,
    setSession: (reply, sealed, lifeMs) => {
      reply.setCookie(names.session, sealed, { ...options, maxAge: seconds(lifeMs) });
    },
    setAttempt: (reply, sealed) => {
      reply.setCookie(names.attempt, sealed, { ...options, maxAge: seconds(ATTEMPT_LIFE_MS) });
    },
    clear: (reply, ...cleared) => {
      for (const name of cleared) reply.clearCookie(names[name], options);
    },
  };
}
