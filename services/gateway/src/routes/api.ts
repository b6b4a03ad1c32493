import type { FastifyInstance } from 'fastify';
import type { Charge } from '../admission/charge.ts';
import {
  type SendJson,
  READ_METHODS,
  refuseOtherMethods,
  refuseUnknownPath,
} from '../edge/routes.ts';
import type { Authenticate } from './authenticate.ts';
import type { CompletionsRoute } from './completions.ts';
import type { ModelsRoutes } from './models.ts';

const MODELS = { operation: 'models', allow: READ_METHODS } as const;
const MODEL = { operation: 'model', allow: READ_METHODS } as const;
const COMPLETIONS = { operation: 'completions', allow: 'POST' } as const;

interface ModelRequest {
  readonly Params: { readonly '*': string };
}

export interface ApiParts {
  readonly authenticate: Authenticate;
  readonly charge: Charge;
  readonly models: ModelsRoutes;
  readonly createCompletion: CompletionsRoute;
}

/** The Fastify plugin for all routes below the API root. Every request is authenticated and charged exactly once. */
export function createApi(parts: ApiParts & { readonly send: SendJson }) {
  const { authenticate, charge, models, createCompletion, send } = parts;
  return async (api: FastifyInstance): Promise<void> => {
    api.addHook('onRequest', ({ context }) => authenticate(context));
    // A failed request is charged too, and a refusal by a limit takes precedence over its error.
    api.setErrorHandler(async (error, { context }) => {
      if (context.isChargeDue) await charge(context, 0);
      throw error;
    });
    // Without a handler in this plugin, unknown paths would skip the hooks above.
    api.setNotFoundHandler(refuseUnknownPath);
    api.get('/models', { config: MODELS }, async (request, reply) =>
      send(request, reply, await models.list(request.context)),
    );
    refuseOtherMethods(api, '/models', MODELS);
    // A model id may contain slashes.
    api.get<ModelRequest>('/models/*', { config: MODEL }, async (request, reply) => {
      const { '*': id } = request.params;
      if (id === '') refuseUnknownPath();
      return send(request, reply, await models.retrieve(request.context, id));
    });
    refuseOtherMethods(api, '/models/*', MODEL);
    api.post('/chat/completions', { config: COMPLETIONS }, async ({ context }, reply) => {
      await createCompletion(context);
      return reply.hijack();
    });
    refuseOtherMethods(api, '/chat/completions', COMPLETIONS);
  };
}
