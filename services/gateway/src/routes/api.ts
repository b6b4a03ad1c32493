import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticate } from './authenticate.ts';
import type { Charge } from './charge.ts';
import type { CompletionsRoute } from './completions-route.ts';
import type { ModelsRoutes } from './models-routes.ts';
import { READ_METHODS, refuseOtherMethods, refuseUnknownPath } from './routes.ts';

const MODELS = { operation: 'models', allow: READ_METHODS } as const;
const MODEL = { operation: 'model', allow: READ_METHODS } as const;
const COMPLETIONS = { operation: 'completions', allow: 'POST' } as const;

interface ModelRequest {
  readonly Params: { readonly '*': string };
}

export type SendJson = (
  request: Pick<FastifyRequest, 'exchange'>,
  reply: FastifyReply,
  body: string | Buffer,
) => FastifyReply;

export interface ApiParts {
  readonly authenticate: Authenticate;
  readonly charge: Charge;
  readonly models: ModelsRoutes;
  readonly createCompletion: CompletionsRoute;
}

/** The plugin with everything below the API root: every request is authenticated, and charged exactly once. */
export function createApi(parts: ApiParts & { readonly send: SendJson }) {
  const { authenticate, charge, models, createCompletion, send } = parts;
  return async (api: FastifyInstance): Promise<void> => {
    api.addHook('onRequest', ({ exchange }) => authenticate(exchange));
    // What is wrong with a request is told only if a limit does not refuse it first.
    api.setErrorHandler(async (error, { exchange }) => {
      if (exchange.isChargeDue) await charge(exchange, 0);
      throw error;
    });
    // Of its own, so that the hooks above run before it.
    api.setNotFoundHandler(refuseUnknownPath);
    api.get('/models', { config: MODELS }, async (request, reply) =>
      send(request, reply, await models.list(request.exchange)),
    );
    refuseOtherMethods(api, '/models', MODELS);
    // An id may hold slashes.
    api.get<ModelRequest>('/models/*', { config: MODEL }, async (request, reply) => {
      const { '*': id } = request.params;
      if (id === '') refuseUnknownPath();
      return send(request, reply, await models.retrieve(request.exchange, id));
    });
    refuseOtherMethods(api, '/models/*', MODEL);
    api.post('/chat/completions', { config: COMPLETIONS }, async ({ exchange }, reply) => {
      await createCompletion(exchange);
      return reply.hijack();
    });
    refuseOtherMethods(api, '/chat/completions', COMPLETIONS);
  };
}
