import type { FastifyInstance } from 'fastify';
import { READ_METHODS, refuseOtherMethods, type SendJson } from '../edge/routes.ts';
import { openApiDocument } from './openapi.ts';

const OPENAPI = { operation: 'openapi', allow: READ_METHODS } as const;

export interface OpenApiRouteOptions {
  readonly apiRoot: string;
  readonly retentionHeader: string;
  readonly send: SendJson;
}

/** Serves the OpenAPI document without authentication. */
export function addOpenApiRoute(
  app: FastifyInstance,
  { apiRoot, retentionHeader, send }: OpenApiRouteOptions,
): void {
  // A shared buffer, because a string is encoded again for each reply.
  const document = Buffer.from(JSON.stringify(openApiDocument({ apiRoot, retentionHeader })));
  app.get('/openapi.json', { config: OPENAPI }, (request, reply) => send(request, reply, document));
  refuseOtherMethods(app, '/openapi.json', OPENAPI);
}
