// oxlint-disable vitest/no-standalone-expect -- rows of a table, which run inside of tests
import { expect } from 'vitest';
import type { RawReply } from '../raw-client.ts';
import type { Case, CaseGroup } from './case.ts';
import { ALL_TRIOS, REQUEST_TRIOS, UUID, expectError, rateLimitNames } from './expectations.ts';

const LIMITS = {
  requests_per_minute: 1_000,
  requests_per_day: 10_000,
  tokens_per_minute: 100_000,
  tokens_per_day: 1_000_000,
};

type Described = Readonly<Record<string, { readonly deprecated?: boolean }>>;

function unknownPath(path: string): Case {
  return {
    title: `${path === '' ? 'the root itself' : path} is an unknown address, admitted like any request`,
    proves: ['I3', 'D5', 'D9', 'I65'],
    run: async (world) => {
      const { key: credential } = await world.tenant({ plan: { limits: LIMITS } });
      const reply = await world.request(path, { credential });
      await expectError(reply, {
        status: 404,
        type: 'invalid_request_error',
        code: 'unknown_url',
        param: null,
      });
      expect(rateLimitNames(reply)).toEqual(REQUEST_TRIOS);
    },
  };
}

function wrongMethod(method: string, path: string, allow: string): Case {
  return {
    title: `${method} ${path} is a wrong method`,
    proves: ['D5', 'D9', 'I64'],
    run: async (world) => {
      const { key: credential } = await world.tenant({ plan: { limits: LIMITS } });
      const reply = await world.request(path, { credential, method });
      if (method === 'HEAD') expect(reply.status).toBe(405);
      else {
        await expectError(reply, {
          status: 405,
          type: 'invalid_request_error',
          code: 'method_not_allowed',
          param: null,
        });
      }
      expect(reply.headers.get('allow')).toBe(allow);
      expect(rateLimitNames(reply)).toEqual(REQUEST_TRIOS);
    },
  };
}

/** The framework does not parse a body of any media type. */
function wrongMethodWithBody(method: string): Case {
  return {
    title: `${method} with a body of no known type is a wrong method`,
    proves: ['D5', 'I64'],
    run: async (world) => {
      const reply = await world.request('/chat/completions', {
        method,
        body: 'words',
        headers: { 'content-type': 'x' },
      });
      await expectError(reply, {
        status: 405,
        type: 'invalid_request_error',
        code: 'method_not_allowed',
        param: null,
      });
    },
  };
}

const routes: Case[] = [
  ...['', '/', '/nothing', '/models/', '/chat', '/chat/completions/', '/Models'].map(unknownPath),
  ...[
    '/responses',
    '/embeddings',
    '/images/generations',
    '/audio/speech',
    '/files',
    '/batches',
    '/assistants',
    '/completions',
  ].map(unknownPath),
  ...['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((method) =>
    wrongMethod(method, '/models', 'GET, HEAD'),
  ),
  wrongMethod('POST', '/models/sluice-demo', 'GET, HEAD'),
  ...['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'].map((method) =>
    wrongMethod(method, '/chat/completions', 'POST'),
  ),
  ...['PUT', 'PATCH', 'DELETE', 'QUERY'].map(wrongMethodWithBody),
  ...['/', '/compat', '/compat/v1x/models', '/v1/models', '/livez', '/readyz', '/metrics'].map(
    (path): Case => ({
      title: `${path}, outside of the root, asks for no credential`,
      proves: ['D7', 'I9'],
      run: async (world) => {
        const reply = await fetch(`${world.stack.baseUrl}${path}`);
        await expectError(reply, {
          status: 404,
          type: 'invalid_request_error',
          code: 'unknown_url',
          param: null,
        });
        expect(reply.headers.has('service-data-retention')).toBe(false);
      },
    }),
  ),
  {
    title: 'the interface is described at /openapi.json',
    proves: ['I105'],
    run: async (world) => {
      const reply = await fetch(`${world.stack.baseUrl}/openapi.json`);
      const document = (await reply.json()) as {
        info: { version: string };
        paths: object;
        components: { schemas: { ChatCompletionRequest: { properties: Described } } };
      };
      expect(document.info.version).toBe('0.1.0');
      expect(Object.keys(document.paths)).toHaveLength(3);
      const { properties } = document.components.schemas.ChatCompletionRequest;
      const deprecated = Object.keys(properties).filter((name) => properties[name]?.deprecated);
      expect(deprecated).toEqual(['max_tokens']);
    },
  },
];

function expectRawError(reply: RawReply, status: number): void {
  expect(reply.status).toBe(status);
  expect(reply.headers['x-request-id']).toMatch(UUID);
  const { error } = JSON.parse(reply.body) as { error: object };
  expect(Object.keys(error)).toEqual(['message', 'type', 'param', 'code']);
}

const ids: Case[] = [
  {
    title: 'ids are minted, whatever the client sends',
    proves: ['I9', 'I60'],
    run: async (world) => {
      const mine = '00000000-0000-4000-8000-000000000000';
      const reply = await world.request('/models', { headers: { 'x-request-id': mine } });
      expect(reply.headers.get('x-request-id')).toMatch(UUID);
      expect(reply.headers.get('x-request-id')).not.toBe(mine);
      expect(reply.headers.get('x-server-request-id')).toBe(reply.headers.get('x-request-id'));
      await reply.text();
    },
  },
  ...(
    [
      ['bytes that are not HTTP', 'NONSENSE\r\n\r\n', 400],
      [
        'headers that are too large',
        `GET / HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`,
        431,
      ],
      [
        'an address that is too long',
        `GET /${'y'.repeat(40_000)} HTTP/1.1\r\nhost: a\r\n\r\n`,
        431,
      ],
      ['an unknown expectation', 'GET / HTTP/1.1\r\nhost: a\r\nexpect: x\r\n\r\n', 417],
      ['no Host header', 'GET /compat/v1/models HTTP/1.1\r\n\r\n', 400],
      ['two Host headers', 'GET /compat/v1/models HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n', 400],
      [
        'two lengths',
        'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
        400,
      ],
      [
        'a length and chunks',
        'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
        400,
      ],
    ] as const
  ).map(([title, bytes, status]): Case => ({
    title: `${title}: ${status}, with ids and a body`,
    proves: ['D1', 'I59'],
    run: async (world) => {
      await using client = await world.raw();
      client.send(bytes);
      expectRawError(await client.reply(), status);
    },
  })),
  {
    title: 'a request that does not arrive in time: 408, with ids and a body',
    proves: ['D1'],
    run: async (world) => {
      await using client = await world.raw();
      client.send('GET / HTTP/1.1\r\nhost: a\r\n');
      expectRawError(await client.reply(), 408);
    },
  },
];

const crossOrigin: Case[] = [
  ...['/models', '/chat/completions', '/models/x', '/nothing'].map((path): Case => ({
    title: `a preflight of ${path} is answered`,
    proves: ['D2', 'D65'],
    run: async (world) => {
      const wanted = 'authorization, content-type, x-stainless-os, x-stainless-retry-count';
      const reply = await world.request(path, {
        credential: null,
        method: 'OPTIONS',
        headers: {
          origin: 'https://app.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': wanted,
        },
      });
      expect(reply.status).toBe(204);
      expect(reply.headers.get('access-control-allow-origin')).toBe('*');
      expect(reply.headers.get('access-control-allow-headers')).toBe(wanted);
      expect(reply.headers.get('access-control-allow-methods')).toContain('POST');
      expect(reply.headers.has('x-request-id')).toBe(false);
    },
  })),
  ...(
    [
      ['/models', 200],
      ['/models/nobody', 404],
      ['/nothing', 404],
    ] as const
  ).map(([path, status]): Case => ({
    title: `pages may read every header of a ${status} at ${path}`,
    proves: ['D65'],
    run: async (world) => {
      const reply = await world.request(path, { headers: { origin: 'https://app.example' } });
      expect(reply.status).toBe(status);
      expect(reply.headers.get('access-control-allow-origin')).toBe('*');
      const exposed = new Set(reply.headers.get('access-control-expose-headers')?.split(', '));
      const others = [
        'x-request-id',
        'x-server-request-id',
        'service-data-retention',
        'retry-after',
        'retry-after-ms',
        'x-should-retry',
      ];
      for (const name of [...ALL_TRIOS, ...others]) expect(exposed).toContain(name);
      await reply.text();
    },
  })),
  {
    title: 'a 401 can be read by pages, too',
    proves: ['D65'],
    run: async (world) => {
      const reply = await world.request('/models', {
        credential: null,
        headers: { origin: 'https://app.example' },
      });
      expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([401, '*']);
      await reply.text();
    },
  },
];

export const routeCases: CaseGroup[] = [
  { section: 'routes', cases: routes },
  { section: 'ids and what Node cannot read', cases: ids },
  { section: 'cross-origin requests', cases: crossOrigin },
];
