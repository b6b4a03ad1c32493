import {
  ErrorBody,
  Model,
  ModelList,
  ChatCompletion,
  ChatCompletionChunk,
  Usage,
} from '@sluice/contracts';
import * as z from 'zod';
import type { JsonObject } from '../request/schema/fields.ts';
import { Message } from '../request/schema/message.ts';
import { ChatCompletionRequestBody, ResponseFormat, Tool } from '../request/schema/request.ts';
import { type ReplyHeaders, describeHeaders } from './openapi-headers.ts';

export interface OpenApiSettings {
  /** The path prefix of all operations, such as `/compat/v1`. */
  readonly apiRoot: string;
  readonly retentionHeader: string;
}

const INTERFACE_VERSION = '0.1.0';

interface ErrorReply extends ReplyHeaders {
  readonly description: string;
}

/** The headers of a reply to an authenticated request that the limits were not asked about. */
const refused = { authenticated: true, admitted: false, retryLater: false, advisesRetry: false };
/** The headers of a reply to a request that the limits were asked about. */
const admitted = { ...refused, admitted: true };

const errorReplies = {
  400: {
    ...admitted,
    description: 'The request is invalid; `param` names the parameter at fault.',
  },
  401: { ...refused, authenticated: false, description: 'The credential is missing or invalid.' },
  402: { ...refused, advisesRetry: true, description: 'The balance is exhausted.' },
  403: { ...refused, description: 'The credential is valid but may not be used for this.' },
  404: { ...admitted, description: 'The model is unknown or unavailable.' },
  409: { ...refused, advisesRetry: true, description: 'Two billing states are being reconciled.' },
  413: { ...admitted, description: 'The request body exceeds the maximum size.' },
  415: { ...admitted, description: 'The body is not declared as JSON in UTF-8, or is encoded.' },
  429: {
    ...admitted,
    retryLater: true,
    advisesRetry: true,
    description: 'A limit of the organization is reached.',
  },
  500: { ...admitted, description: 'The server failed unexpectedly.' },
  502: { ...admitted, description: 'The inference backend failed; the request may be retried.' },
  503: { ...admitted, retryLater: true, description: 'Temporarily unavailable; retry later.' },
} as const satisfies Record<number, ErrorReply>;

type ErrorStatus = keyof typeof errorReplies;

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly countsTokens: boolean;
  readonly success: { readonly description: string; readonly content: JsonObject };
  readonly errors: readonly ErrorStatus[];
}

const listModels: Operation = {
  operationId: 'listModels',
  summary: 'List the models that the caller may use.',
  countsTokens: false,
  success: { description: 'The models.', content: json('ModelList') },
  errors: [401, 403, 429, 503],
};

const retrieveModel: Operation = {
  operationId: 'retrieveModel',
  summary: 'Retrieve one model.',
  countsTokens: false,
  success: { description: 'The model.', content: json('Model') },
  errors: [401, 403, 404, 429, 503],
};

const createChatCompletion: Operation = {
  operationId: 'createChatCompletion',
  summary: 'Create a chat completion for a conversation.',
  countsTokens: true,
  success: {
    description:
      'The completion; with `stream: true` a stream whose `data:` lines each carry a chunk, ' +
      'and which is complete only if it ends with `data: [DONE]`. A failure after the first ' +
      'chunk is an event that carries an error body.',
    content: {
      ...json('ChatCompletion'),
      'text/event-stream': { schema: reference('ChatCompletionChunk') },
    },
  },
  errors: [400, 401, 402, 403, 404, 409, 413, 415, 429, 500, 502, 503],
};

/** The interface as an OpenAPI 3.1 document, derived from the schemas that requests are checked by. */
export function openApiDocument(settings: OpenApiSettings): JsonObject {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Sluice',
      version: INTERFACE_VERSION,
      description: 'Chat completions. Text only; reasoning is returned apart from the answer.',
    },
    servers: [{ url: settings.apiRoot }],
    security: [{ api_key: [] }, { playground_credential: [] }],
    paths: {
      '/models': { get: describeOperation(listModels, settings) },
      '/models/{model}': {
        parameters: [
          {
            name: 'model',
            in: 'path',
            required: true,
            description: 'A model identifier. A `/` in it may be sent as written.',
            schema: { type: 'string', minLength: 1 },
          },
        ],
        get: describeOperation(retrieveModel, settings),
      },
      '/chat/completions': {
        post: {
          ...describeOperation(createChatCompletion, settings),
          requestBody: { required: true, content: json('ChatCompletionRequest') },
        },
      },
    },
    components: {
      schemas: { ...requestSchemas(), ...replySchemas() },
      securitySchemes: {
        api_key: { type: 'http', scheme: 'bearer', description: 'An API key of a project.' },
        playground_credential: {
          type: 'http',
          scheme: 'bearer',
          description: 'A short-lived credential that the playground issues to itself.',
        },
      },
    },
  };
}

function describeOperation(operation: Operation, { retentionHeader }: OpenApiSettings): JsonObject {
  const { operationId, summary, countsTokens, success, errors } = operation;
  const responses: Record<string, JsonObject> = {
    200: { ...success, headers: describeHeaders({ ...admitted, retentionHeader, countsTokens }) },
  };
  for (const status of errors) {
    const { description, ...headers } = errorReplies[status];
    responses[status] = {
      description,
      headers: describeHeaders({ ...headers, retentionHeader, countsTokens }),
      content: json('ErrorBody'),
    };
  }
  return { operationId, summary, responses };
}

/** The schemas of what clients may send, including nulls and fields that are then dropped. */
function requestSchemas(): JsonObject {
  return toComponents('input', {
    ChatCompletionRequest: ChatCompletionRequestBody,
    Message,
    Tool,
    ResponseFormat,
  });
}

function replySchemas(): JsonObject {
  return toComponents('output', {
    ChatCompletion,
    ChatCompletionChunk,
    Usage,
    Model,
    ModelList,
    ErrorBody,
  });
}

function toComponents(
  io: 'input' | 'output',
  named: Readonly<Record<string, z.ZodType>>,
): JsonObject {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    io,
    uri: pointerTo,
    // A JSON Schema from a client may be any object. The metadata of its zod type describes it here.
    unrepresentable: ({ zodSchema }) => (zodSchema._zod.def.type === 'custom' ? 'any' : 'throw'),
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _dialect, $id: _address, ...schema }]) => [
      id,
      schema,
    ]),
  );
}

function json(schema: string): JsonObject {
  return { 'application/json': { schema: reference(schema) } };
}

function reference(schema: string): JsonObject {
  return { $ref: pointerTo(schema) };
}

function pointerTo(schema: string): string {
  return `#/components/schemas/${schema}`;
}
