import { ACCESS_REFUSALS, ServiceError, mintApiKey } from '@sluice/contracts';
import { useLeakCheck, waitUntil } from '@sluice/testkit';
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
    // Whoever was asked on the way can name it in a log.
    const id = reply.headers.get('x-request-id');
    expect(gateway.catalog.askers).toEqual([id, id]);
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
  test.each(cases)('%s is a 401 that tells nothing but its ids', async (_case, headers, code) => {
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

  test('two Authorization headers are none', async () => {
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

  test('an expired key is refused from the very moment on, cached or not', async () => {
    await using gateway = await InMemoryGateway.start();
    expect((await gateway.request('/models')).status).toBe(200);
    const { principal } = gateway.catalog;
    if (principal !== undefined) {
      gateway.catalog.principal = { ...principal, expiresAtMs: Date.now() - 1 };
    }
    gateway.directory.noteMissedNews();
    const reply = await gateway.request('/models');
    expect([reply.status, await codeOf(reply)]).toEqual([401, 'invalid_api_key']);
  });

  test('with the catalog down a known key goes on and an unknown one is told to wait', async () => {
    await using gateway = await InMemoryGateway.start();
    expect((await gateway.request('/models')).status).toBe(200);
    gateway.catalog.unavailable = true;
    gateway.directory.noteMissedNews();
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

test('whoever comes too late before a stop is told so, and that nothing of it is kept', async () => {
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
  test.each(ACCESS_REFUSALS)('%s is a 403 that was never admitted', async (accessRefusal) => {
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
    '%s is admitted as one request without tokens, and says what is left',
    async (_case, path, init, status) => {
      await using gateway = await InMemoryGateway.start();
      const reply = await gateway.request(path, { ...init });
      expect(reply.status).toBe(status);
      expect(gateway.limiter.admissions).toMatchObject([{ requests: 1, tokens: 0 }]);
      expect(reply.headers.get('x-ratelimit-remaining-requests')).toBe('59');
      expect(reply.headers.has('x-ratelimit-limit-tokens')).toBe(path === '/chat/completions');
    },
  );

  test('a completion is admitted with its estimated tokens, once', async () => {
    await using gateway = await InMemoryGateway.start();
    expect((await gateway.complete()).status).toBe(200);
    expect(gateway.limiter.admissions).toHaveLength(1);
    const bytes = Buffer.byteLength(JSON.stringify(REQUEST.messages));
    expect(gateway.limiter.admissions[0]?.tokens).toBe(Math.ceil(bytes * MODEL.input_token_ratio));
  });

  test('a refusal replaces what else is wrong, with the trios of the limits that exist', async () => {
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

  test('a limiter that cannot answer is a 503 without rate-limit headers', async () => {
    await using gateway = await InMemoryGateway.start();
    gateway.limiter.decide = () => ({ outcome: 'unavailable' });
    const reply = await gateway.complete({ temperature: 9 });
    expect([reply.status, await codeOf(reply)]).toEqual([503, 'rate_limit_unavailable']);
    expect(reply.headers.get('retry-after')).toBe('1');
    expect(rateLimitHeaders(reply)).toEqual([]);
  });

  test('a client that leaves while its body comes in is charged, too', async () => {
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
  test('one with a slash is found as written, encoded once, and not when encoded twice', async () => {
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

  test('HEAD answers as GET does, without the body', async () => {
    await using gateway = await InMemoryGateway.start();
    const body = await (await gateway.request('/models')).text();
    const head = await gateway.request('/models', { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(body)));
    expect(await head.text()).toBe('');
    expect((await gateway.request('/models/nobody', { method: 'HEAD' })).status).toBe(404);
  });

  test('a model is gone from 00:00 UTC of its shutdown date', async () => {
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

  test('a failure inside is a 503 there, and a 500 on completions', async () => {
    await using gateway = await InMemoryGateway.start();
    gateway.limiter.decide = () => {
      throw new Error('unexpected');
    };
    const models = await gateway.request('/models');
    expect([models.status, await codeOf(models)]).toEqual([503, 'service_unavailable']);
    const completion = await gateway.complete();
    expect([completion.status, await codeOf(completion)]).toEqual([500, 'internal_error']);
  });

  test('a catalog that cannot list models is told after the faults of the request itself', async () => {
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
  test('an unknown path is a 404 that asks for no credential', async () => {
    await using gateway = await InMemoryGateway.start();
    for (const path of ['/', '/compat', '/compat/v10/models', '/compat/v1x']) {
      const reply = await fetch(`${gateway.url}${path}`);
      expect([path, reply.status, await codeOf(reply)]).toEqual([path, 404, 'unknown_url']);
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

  test('a preflight during a stop is the last on its connection, and has no length', async () => {
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

  test('an OPTIONS that is no preflight is a wrong method', async () => {
    await using gateway = await InMemoryGateway.start();
    const reply = await gateway.request('/models', { method: 'OPTIONS' });
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('pages may read every header of the interface, on errors too', async () => {
    await using gateway = await InMemoryGateway.start();
    const reply = await fetch(`${gateway.url}${API_ROOT}/models`);
    expect(reply.status).toBe(401);
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    const exposed = reply.headers.get('access-control-expose-headers')?.split(', ');
    expect(exposed).toEqual(
      expect.arrayContaining(['x-request-id', 'retry-after-ms', 'service-data-retention']),
    );
  });

  test('origins can be listed', async () => {
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
