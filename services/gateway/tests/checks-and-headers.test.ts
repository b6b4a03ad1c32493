import { ACCESS_REFUSALS, ServiceError, mintApiKey } from '@sluice/contracts';
import { useLeakCheck, waitUntil } from '@sluice/devkit';
import { describe, expect, test, vi } from 'vitest';
import { API_ROOT, REQUEST, completionHead } from './completion-request.ts';
import { MODEL } from './fake-catalog.ts';
import { InMemoryGateway } from './in-memory-gateway.ts';
import { RawClient } from './raw-client.ts';
import { REFUSED } from './refused-admission.ts';

useLeakCheck();

const RATE_LIMIT = /^x-ratelimit-/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function rateLimitHeaders(reply: Response): string[] {
  return [...reply.headers.keys()].filter((name) => RATE_LIMIT.test(name));
}

async function codeOf(reply: Response): Promise<unknown> {
  const body = (await reply.json()) as { error: { code: unknown } };
  return body.error.code;
}

describe('request ids', () => {
  test('are minted by the server for every reply, whatever the client sends', async () => {
    await using gateway = await InMemoryGateway.start();
    const reply = await gateway.request('/models', { headers: { 'x-request-id': 'mine' } });
    expect(reply.headers.get('x-request-id')).toMatch(UUID);
    expect(reply.headers.get('x-server-request-id')).toBe(reply.headers.get('x-request-id'));
    // The other services get the id, so that they can log it.
    const id = reply.headers.get('x-request-id');
    expect(gateway.catalog.requestIds).toEqual([id, id]);
    expect(gateway.limiter.admissions).toMatchObject([{ requestId: id }]);
  });
});

describe('credentials', () => {
  const cases: [string, Record<string, string>, string][] = [
    ['no Authorization header', {}, 'missing_api_key'],
    ['an empty one', { authorization: '' }, 'missing_api_key'],
    ['another scheme', { authorization: 'Basic abc' }, 'missing_api_key'],
    ['a scheme without a token', { authorization: 'Bearer ' }, 'missing_api_key'],
    ['a malformed key', { authorization: 'Bearer sk-short' }, 'invalid_api_key'],
    ['an unknown key', { authorization: `Bearer ${mintApiKey()}` }, 'invalid_api_key'],
    ['a malformed playground credential', { authorization: 'Bearer pg-ü' }, 'invalid_api_key'],
  ];
  test.each(cases)('%s is a 401 that reveals nothing but its ids', async (_case, headers, code) => {
    await using gateway = await InMemoryGateway.start();
    const reply = await fetch(`${gateway.url}${API_ROOT}/models`, {
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [
          name,
          Buffer.from(value).toString('latin1'),
        ]),
      ),
    });
    expect(reply.status).toBe(401);
    expect(await codeOf(reply)).toBe(code);
    expect(reply.headers.get('x-request-id')).toMatch(UUID);
    expect(reply.headers.has('service-data-retention')).toBe(false);
    expect(rateLimitHeaders(reply)).toEqual([]);
    expect(gateway.limiter.admissions).toEqual([]);
  });

  test('two Authorization headers count as none', async () => {
    await using gateway = await InMemoryGateway.start();
    await using client = await RawClient.connect(gateway.port);
    const line = `authorization: ${gateway.authorization}\r\n`;
    client.send(`GET ${API_ROOT}/models HTTP/1.1\r\nhost: a\r\n${line}${line}\r\n`);
    const { status, body } = await client.reply();
    expect([status, body.includes('missing_api_key')]).toEqual([401, true]);
  });

  test('the scheme is case-insensitive', async () => {
    await using gateway = await InMemoryGateway.start();
    const reply = await gateway.request('/models', {
      headers: { authorization: `bEaReR ${gateway.key}` },
    });
    expect(reply.status).toBe(200);
  });

  test('an expired key is refused at once, cached or not', async () => {
    await using gateway = await InMemoryGateway.start();
    expect((await gateway.request('/models')).status).toBe(200);
    const { principal } = gateway.catalog;
    if (principal !== undefined) {
      gateway.catalog.principal = { ...principal, expiresAtMs: Date.now() - 1 };
    }
    gateway.directory.invalidateAll();
    const reply = await gateway.request('/models');
    expect([reply.status, await codeOf(reply)]).toEqual([401, 'invalid_api_key']);
  });

  test('with the catalog down a cached key works and an unknown one gets a 503', async () => {
    await using gateway = await InMemoryGateway.start();
    expect((await gateway.request('/models')).status).toBe(200);
    gateway.catalog.unavailable = true;
    gateway.directory.invalidateAll();
    expect((await gateway.request('/models')).status).toBe(200);
    const reply = await gateway.request('/models', {
      headers: { authorization: `Bearer ${mintApiKey()}` },
    });
    expect([reply.status, await codeOf(reply)]).toEqual([503, 'authentication_unavailable']);
    expect(reply.headers.get('service-data-retention')).toBe('zero');
    expect(reply.headers.get('retry-after')).toBe('1');
    expect(rateLimitHeaders(reply)).toEqual([]);
  });
});

test('a request during a stop is refused with a retention of zero', async () => {
  await using gateway = await InMemoryGateway.start();
  gateway.drain.enter('refusing');
  const reply = await gateway.request('/models');
  expect([reply.status, await codeOf(reply)]).toEqual([503, 'service_unavailable']);
  expect(reply.headers.get('service-data-retention')).toBe('zero');
  expect(reply.headers.get('connection')).toBe('close');
  expect(reply.headers.has('retry-after')).toBe(true);
  expect(rateLimitHeaders(reply)).toEqual([]);
  expect(gateway.limiter.admissions).toEqual([]);
});

describe('access and billing', () => {
  test.each(ACCESS_REFUSALS)('%s is a 403 without a charge', async (accessRefusal) => {
    await using gateway = await InMemoryGateway.start({ principal: { accessRefusal } });
    const reply = await gateway.request('/models');
    expect([reply.status, await codeOf(reply)]).toEqual([403, accessRefusal]);
    expect(reply.headers.get('service-data-retention')).toBe('standard');
    expect(rateLimitHeaders(reply)).toEqual([]);
    expect(gateway.limiter.admissions).toEqual([]);
  });

  test.each([
    ['insufficient_quota', 402],
    ['billing_conflict', 409],
  ] as const)('%s stops completions and lets models be read', async (billingRefusal, status) => {
    await using gateway = await InMemoryGateway.start({ principal: { billingRefusal } });
    const reply = await gateway.complete();
    expect([reply.status, await codeOf(reply)]).toEqual([status, billingRefusal]);
    expect(reply.headers.get('x-should-retry')).toBe('false');
    expect(rateLimitHeaders(reply)).toEqual([]);
    expect((await gateway.request('/models')).status).toBe(200);
    expect((await gateway.request('/chat/completions')).status).toBe(405);
  });
});

describe('admission', () => {
  test.each([
    ['an unknown path', '/nothing', {}, 404],
    ['the root itself', '', {}, 404],
    ['a wrong method', '/models', { method: 'DELETE' }, 405],
    ['an unknown model', '/models/nobody', {}, 404],
    ['a missing media type', '/chat/completions', { method: 'POST', body: new Uint8Array(2) }, 415],
    [
      'a body that is not JSON',
      '/chat/completions',
      { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } },
      400,
    ],
  ] as const)(
    '%s is charged as one request without tokens and reports the remaining limits',
    async (_case, path, init, status) => {
      await using gateway = await InMemoryGateway.start();
      const reply = await gateway.request(path, { ...init });
      expect(reply.status).toBe(status);
      expect(gateway.limiter.admissions).toMatchObject([{ requests: 1, tokens: 0 }]);
      expect(reply.headers.get('x-ratelimit-remaining-requests')).toBe('59');
      expect(reply.headers.has('x-ratelimit-limit-tokens')).toBe(path === '/chat/completions');
    },
  );

  test('a completion is charged once with its estimated tokens', async () => {
    await using gateway = await InMemoryGateway.start();
    expect((await gateway.complete()).status).toBe(200);
    expect(gateway.limiter.admissions).toHaveLength(1);
    const bytes = Buffer.byteLength(JSON.stringify(REQUEST.messages));
    expect(gateway.limiter.admissions[0]?.tokens).toBe(Math.ceil(bytes * MODEL.input_token_ratio));
  });

  test('a refusal by a limit replaces other errors and carries the headers of every limit', async () => {
    await using gateway = await InMemoryGateway.start();
    gateway.limiter.decide = () => ({ ...REFUSED, waitMs: 1_001 });
    const reply = await gateway.complete({ temperature: 9 });
    expect([reply.status, await codeOf(reply)]).toEqual([429, 'rate_limit_exceeded']);
    expect(reply.headers.get('retry-after')).toBe('2');
    expect(reply.headers.get('retry-after-ms')).toBe('1001');
    expect(reply.headers.has('x-should-retry')).toBe(false);
    const wrongMethod = await gateway.request('/models', { method: 'DELETE' });
    expect([wrongMethod.status, wrongMethod.headers.has('allow')]).toEqual([429, false]);
    expect(rateLimitHeaders(reply)).toEqual([
      'x-ratelimit-limit-requests',
      'x-ratelimit-remaining-requests',
      'x-ratelimit-reset-requests',
    ]);
  });

  test('an unavailable limiter is a 503 without rate-limit headers', async () => {
    await using gateway = await InMemoryGateway.start();
    gateway.limiter.decide = () => ({ outcome: 'unavailable' });
    const reply = await gateway.complete({ temperature: 9 });
    expect([reply.status, await codeOf(reply)]).toEqual([503, 'rate_limit_unavailable']);
    expect(reply.headers.get('retry-after')).toBe('1');
    expect(rateLimitHeaders(reply)).toEqual([]);
  });

  test('a client that disconnects while its body arrives is charged too', async () => {
    await using gateway = await InMemoryGateway.start();
    await using client = await RawClient.connect(gateway.port);
    client.send(completionHead(gateway.key, 'content-length: 100'), '{');
    await waitUntil(() => gateway.catalog.asked.length > 0, { what: 'the request to arrive' });
    client.socket.destroy();
    await waitUntil(() => gateway.limiter.admissions.length === 1, { what: 'the charge' });
    expect(gateway.limiter.admissions).toMatchObject([{ requests: 1, tokens: 0 }]);
  });
});

describe('models', () => {
  test('an id with a slash is found as written or encoded once, but not encoded twice', async () => {
    await using gateway = await InMemoryGateway.start();
    for (const path of ['acme/large', 'acme%2Flarge', 'acme%2flarge', 'acme/large?x=1']) {
      const reply = await gateway.request(`/models/${path}`);
      expect([path, reply.status]).toEqual([path, 200]);
      expect(await reply.json()).toMatchObject({ id: 'acme/large', object: 'model' });
    }
    for (const path of ['acme%252Flarge', 'acme%zzlarge', 'acme/large/', 'ACME/large']) {
      const reply = await gateway.request(`/models/${path}`);
      expect([path, reply.status, await codeOf(reply)]).toEqual([path, 404, 'model_not_found']);
    }
  });

  test('HEAD answers like GET without the body', async () => {
    await using gateway = await InMemoryGateway.start();
    const body = await (await gateway.request('/models')).text();
    const head = await gateway.request('/models', { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(body)));
    expect(await head.text()).toBe('');
    expect((await gateway.request('/models/nobody', { method: 'HEAD' })).status).toBe(404);
  });

  test('a model is not listed from 00:00 UTC of its shutdown date on', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    await using gateway = await InMemoryGateway.start({
      models: [
        { ...MODEL, id: 'gone', shutdown_date: today },
        { ...MODEL, id: 'going', shutdown_date: tomorrow },
      ],
    });
    const list = (await (await gateway.request('/models')).json()) as { data: { id: string }[] };
    expect(list.data.map(({ id }) => id)).toEqual(['going']);
    expect((await gateway.request('/models/gone')).status).toBe(404);
    expect((await gateway.complete({ model: 'gone' })).status).toBe(404);
  });

  test('an internal failure is a 503, and a 500 on completions', async () => {
    await using gateway = await InMemoryGateway.start();
    gateway.limiter.decide = () => {
      throw new Error('unexpected');
    };
    const models = await gateway.request('/models');
    expect([models.status, await codeOf(models)]).toEqual([503, 'service_unavailable']);
    const completion = await gateway.complete();
    expect([completion.status, await codeOf(completion)]).toEqual([500, 'internal_error']);
  });

  test('faults of a request take precedence over a catalog that cannot list models', async () => {
    await using gateway = await InMemoryGateway.start();
    gateway.catalog.listModels = () => Promise.reject(new ServiceError('internal_error', 'down'));
    const reply = await gateway.complete();
    expect([reply.status, await codeOf(reply)]).toEqual([503, 'model_availability_unavailable']);
    expect(reply.headers.get('retry-after')).toBe('1');
    expect((await gateway.complete({ temperature: 9 })).status).toBe(400);
  });

  test.each(['the list of models', 'a completion'])(
    'why the catalog could not list models for %s is logged',
    async (asked) => {
      const lines: string[] = [];
      await using gateway = await InMemoryGateway.start({ log: (line) => void lines.push(line) });
      gateway.catalog.listModels = () => Promise.reject(new Error('the catalog is away'));
      const reply = await (asked === 'a completion'
        ? gateway.complete()
        : gateway.request('/models'));
      expect(reply.status).toBe(503);
      await vi.waitFor(() => expect(lines.join('')).toContain('a request failed'));
    },
  );
});

describe('outside of the API root', () => {
  test('an unknown path is a 404 that needs no credential and names the base path', async () => {
    await using gateway = await InMemoryGateway.start();
    for (const path of [
      '/',
      '/v1/chat/completions',
      '/compat',
      '/compat/v10/models',
      '/compat/v1x',
    ]) {
      const reply = await fetch(`${gateway.url}${path}`);
      expect([path, reply.status]).toEqual([path, 404]);
      expect(await reply.json()).toEqual({
        error: {
          message: 'There is nothing at this address. The paths of the API begin with /compat/v1.',
          type: 'invalid_request_error',
          param: null,
          code: 'unknown_url',
        },
      });
      expect(reply.headers.get('x-request-id')).toMatch(UUID);
    }
    expect(gateway.limiter.admissions).toEqual([]);
  });

  test('the interface description is served', async () => {
    await using gateway = await InMemoryGateway.start();
    const reply = await fetch(`${gateway.url}/openapi.json`);
    expect(reply.headers.get('content-type')).toContain('application/json');
    expect(await reply.json()).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\./) as string,
      info: { version: '0.1.0' },
    });
    expect((await fetch(`${gateway.url}/openapi.json`, { method: 'POST' })).status).toBe(405);
  });
});

describe('cross-origin requests', () => {
  test('a preflight is answered without a credential and without ids', async () => {
    await using gateway = await InMemoryGateway.start();
    const reply = await fetch(`${gateway.url}${API_ROOT}/chat/completions`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://example.org',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization, content-type, x-stainless-os',
      },
    });
    expect(reply.status).toBe(204);
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    expect(reply.headers.get('access-control-allow-headers')).toBe(
      'authorization, content-type, x-stainless-os',
    );
    expect(reply.headers.has('x-request-id')).toBe(false);
  });

  test('a preflight during a stop closes its connection and has no length', async () => {
    await using gateway = await InMemoryGateway.start();
    gateway.drain.enter('announcing');
    await using client = await RawClient.connect(gateway.port);
    client.send(
      `OPTIONS ${API_ROOT}/models HTTP/1.1\r\nhost: a\r\norigin: https://example.org\r\n` +
        'access-control-request-method: GET\r\n\r\n',
    );
    const { status, headers } = await client.reply();
    expect([status, headers['connection'], headers['content-length']]).toEqual([
      204,
      'close',
      undefined,
    ]);
  });

  test('an OPTIONS request that is not a preflight is a wrong method', async () => {
    await using gateway = await InMemoryGateway.start();
    const reply = await gateway.request('/models', { method: 'OPTIONS' });
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('pages can read every header of the interface, also on errors', async () => {
    await using gateway = await InMemoryGateway.start();
    const reply = await fetch(`${gateway.url}${API_ROOT}/models`);
    expect(reply.status).toBe(401);
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    const exposed = reply.headers.get('access-control-expose-headers')?.split(', ');
    expect(exposed).toEqual(
      expect.arrayContaining(['x-request-id', 'retry-after-ms', 'service-data-retention']),
    );
  });

  test('the allowed origins can be listed', async () => {
    await using gateway = await InMemoryGateway.start({
      settings: { CORS_ORIGINS: ['https://a.example'] },
    });
    const allowed = await gateway.request('/models', { headers: { origin: 'https://a.example' } });
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://a.example');
    expect(allowed.headers.get('vary')).toBe('Origin');
    const other = await gateway.request('/models', { headers: { origin: 'https://b.example' } });
    expect(other.headers.has('access-control-allow-origin')).toBe(false);
  });
});
