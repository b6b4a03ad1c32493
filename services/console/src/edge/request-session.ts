import type { Session } from '../session/sessions.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The session in the cookie. It is read only for paths of the API. */
    session: Session | undefined;
  }
  interface FastifyContextConfig {
    /** The name of the route in metrics. Absent for files of the page. */
    metricName?: string;
  }
}

/** A CSRF token is bound to this text, so that the token of one session is not valid in another. */
export function csrfOwner({ account, generation }: Session): string {
  return `${account} ${generation}`;
}
