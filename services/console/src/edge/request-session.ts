import type { Session } from '../session/sessions.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is signed in, by the cookie. Read only for paths of the API. */
    session: Session | undefined;
  }
  interface FastifyContextConfig {
    /** The name of the route in metrics. Absent for files of the page. */
    metricName?: string;
  }
}

/** The CSRF token is bound to this text, so that a token of one session is worth nothing in another. */
export function csrfOwner({ account, generation }: Session): string {
  return `${account} ${generation}`;
}
