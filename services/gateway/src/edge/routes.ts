import { METHODS } from 'node:http';
import { ServiceError } from '@sluice/contracts';
import type { FastifyReply, FastifyRequest, FastifyInstance } from 'fastify';
import type { RequestContext, Operation } from './request-context.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent means `unknown`. */
    readonly operation?: Operation;
    /** The value of the `Allow` header for the path. */
    readonly allow?: string;
  }
  interface FastifyRequest {
    context: RequestContext;
  }
}

/** Fastify adds a HEAD route to each GET route. */
export const READ_METHODS = 'GET, HEAD';

/**
 * Lets routes be declared for every method that Node parses, so that a wrong method and a wrong path get different
 * errors. Every method is declared as having no body. Otherwise, Fastify would check the media type first.
 */
export function acceptEveryMethod(app: FastifyInstance): void {
  for (const method of METHODS) {
    app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }
}

export interface RouteConfig {
  readonly operation: Operation;
  readonly allow: string;
}

/** Answers every method not in `allow` with `method_not_allowed`. */
export function refuseOtherMethods(app: FastifyInstance, url: string, config: RouteConfig): void {
  const { allow } = config;
  const allowed = allow.split(', ');
  app.route({
    method: app.supportedMethods.filter((method) => !allowed.includes(method)),
    url,
    config,
    handler: () => {
      throw new ServiceError('method_not_allowed', `Only ${allow} can be used at this address.`);
    },
  });
}

export function refuseUnknownPath(): never {
  throw new ServiceError('unknown_url', 'There is nothing at this address.');
}

export type SendJson = (
  request: Pick<FastifyRequest, 'context'>,
  reply: FastifyReply,
  body: string | Buffer,
) => FastifyReply;
