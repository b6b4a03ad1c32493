import { describe, expect, it } from 'vitest';
import { openApiDocument } from './openapi.ts';

interface Reply {
  readonly headers: Record<string, { required?: boolean }>;
  readonly content: Record<string, { schema: { $ref: string } }>;
}
interface Operation {
  readonly responses: Record<string, Reply>;
}
interface Document {
  readonly openapi: string;
  readonly info: { version: string };
  readonly servers: unknown;
  readonly security: unknown;
  readonly paths: {
    '/models': { get: Operation };
    '/models/{model}': { get: Operation };
    '/chat/completions': { post: Operation };
  };
  readonly components: {
    schemas: Record<string, { properties: Record<string, { deprecated?: boolean }> }>;
    securitySchemes: Record<string, unknown>;
  };
}

const document = openApiDocument({
  apiRoot: '/compat/v1',
  retentionHeader: 'acme-data-retention',
}) as unknown as Document;

const list = document.paths['/models'].get;
const retrieve = document.paths['/models/{model}'].get;
const create = document.paths['/chat/completions'].post;
const chatStatuses = [200, 400, 401, 402, 403, 404, 409, 413, 415, 429, 500, 502, 503];

const headersOf = (operation: Operation, status: number): string[] =>
  Object.keys(operation.responses[status]?.headers ?? {});

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) =>
    key === '$ref' ? [String(child)] : referencesIn(child),
  );
}

describe('the OpenAPI document', () => {
  it('has version 3.1, describes version 0.1.0 and has its paths below the root', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.info.version).toBe('0.1.0');
    expect(document.servers).toEqual([{ url: '/compat/v1' }]);
  });

  it('lists the statuses of each operation', () => {
    expect(Object.keys(list.responses).map(Number)).toEqual([200, 401, 403, 429, 503]);
    expect(Object.keys(retrieve.responses).map(Number)).toEqual([200, 401, 403, 404, 429, 503]);
    expect(Object.keys(create.responses).map(Number)).toEqual(chatStatuses);
  });

  it('takes either kind of credential, both as bearer', () => {
    expect(document.security).toEqual([{ api_key: [] }, { playground_credential: [] }]);
    expect(document.components.securitySchemes).toMatchObject({
      api_key: { type: 'http', scheme: 'bearer' },
      playground_credential: { type: 'http', scheme: 'bearer' },
    });
  });

  it('marks max_tokens, and nothing else, as deprecated', () => {
    const { properties } = document.components.schemas['ChatCompletionRequest'] ?? {};
    const deprecated = Object.entries(properties ?? {}).filter(([, { deprecated }]) => deprecated);
    expect(deprecated.map(([name]) => name)).toEqual(['max_tokens']);
  });

  it('restricts integers no more than the interface does', () => {
    const { properties } = document.components.schemas['ChatCompletionRequest'] ?? {};
    expect(properties?.['seed']).toMatchObject({ type: ['integer', 'null'] });
    expect(JSON.stringify(properties)).not.toContain('imum":9007199254740991');
    expect(JSON.stringify(properties)).not.toContain('imum":-9007199254740991');
    const bound = { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] };
    expect(properties).toMatchObject({ max_tokens: bound, max_completion_tokens: bound });
  });

  it('refers only to what it holds', () => {
    const references = referencesIn(document);
    expect(references.length).toBeGreaterThan(10);
    for (const reference of references) {
      const name = reference.replace('#/components/schemas/', '');
      expect(Object.keys(document.components.schemas)).toContain(name);
    }
  });

  it('gives the reply in JSON and as a stream', () => {
    expect(create.responses['200']?.content).toEqual({
      'application/json': { schema: { $ref: '#/components/schemas/ChatCompletion' } },
      'text/event-stream': { schema: { $ref: '#/components/schemas/ChatCompletionChunk' } },
    });
  });
});

describe('the headers of a documented reply', () => {
  it.each(chatStatuses)('%i has the request ids', (status) => {
    expect(headersOf(create, status)).toEqual(
      expect.arrayContaining(['x-request-id', 'x-server-request-id']),
    );
  });

  it('of a 401 are nothing else', () => {
    expect(headersOf(create, 401)).toEqual(['x-request-id', 'x-server-request-id']);
  });

  it.each(chatStatuses.filter((status) => status !== 401))('%i has the retention', (status) => {
    expect(create.responses[status]?.headers['acme-data-retention']?.required).toBe(true);
  });

  it.each([200, 400, 404, 413, 415, 429, 500, 502, 503])('%i has all four trios', (status) => {
    const names = headersOf(create, status).filter((name) => name.startsWith('x-ratelimit-'));
    expect(names).toHaveLength(12);
    expect(names).toContain('x-ratelimit-reset-tokens-day');
  });

  it.each([401, 402, 403, 409])('%i, never admitted, has no trio', (status) => {
    expect(headersOf(create, status).join()).not.toContain('x-ratelimit-');
  });

  it('of the model routes count no tokens', () => {
    for (const operation of [list, retrieve]) {
      const names = headersOf(operation, 200).filter((name) => name.startsWith('x-ratelimit-'));
      expect(names).toHaveLength(6);
      expect(names.join()).not.toContain('tokens');
    }
  });

  it('have a Retry-After header', () => {
    for (const status of [429, 503]) {
      expect(headersOf(create, status)).toEqual(
        expect.arrayContaining(['retry-after', 'retry-after-ms']),
      );
    }
    for (const status of [402, 409, 429]) {
      expect(headersOf(create, status)).toContain('x-should-retry');
    }
  });
});
