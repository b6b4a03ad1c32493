import { METHODS } from 'node:http';
import { ServiceError } from '@sluice/contracts';
import type { FastifyInstance } from 'fastify';
import type { Exchange, Operation } from './exchange.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `unknown` where there is none. */
    readonly operation?: Operation;
    /** The methods of the path, as its `Allow` header lists them. */
    readonly allow?: string;
  }
  interface FastifyRequest {
    exchange: Exchange;
  }
}

/** Fastify serves HEAD with GET. */
export const READ_METHODS = 'GET, HEAD';

/**
 * Lets routes be declared for every method that Node reads, so that a wrong one is told from a wrong path. None has a
 * body for the framework: it would judge media types before the path and the method are checked, and cost more.
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

/** Refuses the methods that a path does not have. */
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
