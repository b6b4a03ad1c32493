import * as z from 'zod';
import { ErrorReply } from '../api/errors.ts';
import { routes, type Route } from '../api/routes.ts';

/** The description of the API, in OpenAPI 3.1, from the table of routes. */
export function openApiDocument(version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [operationId, route] of Object.entries<Route>(routes)) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describe(operationId, route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'The API of the Sluice console',
      version,
      description: 'For the pages of the console. Programs use the public API with an API key.',
    },
    paths,
    components: {
      schemas: { Error: schemaOf(ErrorReply, 'output') },
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: '__Host-sluice-session' },
      },
    },
  };
}

function describe(operationId: string, route: Route): object {
  const { method, summary, open, params, query, body, reply } = route;
  const isText = reply instanceof z.ZodString;
  return {
    operationId,
    summary,
    security: open === true ? [] : [{ session: [] }],
    parameters: [
      ...parametersOf('path', params),
      ...parametersOf('query', query),
      ...(method === 'GET' || open === true ? [] : [CSRF_HEADER]),
    ],
    ...(body !== undefined && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: schemaOf(body, 'input') } },
      },
    }),
    responses: {
      200: {
        description: summary,
        content: {
          [isText ? 'text/csv' : 'application/json']: { schema: schemaOf(reply, 'output') },
        },
      },
      default: {
        description: 'An error',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  };
}

const CSRF_HEADER = {
  name: 'x-csrf-token',
  in: 'header',
  required: true,
  description: 'From GET /api/session',
  schema: { type: 'string' },
};

function parametersOf(place: 'path' | 'query', schema: z.ZodObject | undefined): object[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => {
    const described = z.toJSONSchema(field, { io: 'input', unrepresentable: 'any' });
    return {
      name,
      in: place,
      required: place === 'path' || !z.safeParse(field, undefined).success,
      schema: withoutDialect(described),
    };
  });
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): object {
  return withoutDialect(z.toJSONSchema(schema, { io, unrepresentable: 'any' }));
}

/** All schemas of an OpenAPI 3.1 document have the same dialect, so `$schema` is left out of each. */
function withoutDialect({ $schema: _dialect, ...schema }: Record<string, unknown>): object {
  return schema;
}
