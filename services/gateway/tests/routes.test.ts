import { METHODS } from 'node:http';
import { useLeakCheck, waitUntil } from '@sluice/devkit';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { API_ROOT } from './completion-request.ts';
import { MODEL } from './fake-catalog.ts';
import { InMemoryGateway } from './in-memory-gateway.ts';
import { RawClient, type RawReply } from './raw-client.ts';

useLeakCheck();

let gateway: InMemoryGateway;
beforeAll(async () => {
  gateway = await InMemoryGateway.start({ models: [MODEL, { ...MODEL, id: 'a/b' }] });
});
afterAll(() => gateway[Symbol.asyncDispose]());

async function send(
  method: string,
  target: string,
  { key = gateway.key, more = '' } = {},
): Promise<RawReply> {
  await using client = await RawClient.connect(gateway.port);
  client.send(`${method} ${target} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n`);
  client.send(`authorization: Bearer ${key}\r\n${more}\r\n`);
  await client.waitForClose();
  return await client.reply();
}

function codeOf({ body }: RawReply): string | null {
  const { error } = JSON.parse(body) as { error: { code: string | null } };
  return error.code;
}

describe('a path', () => {
  test.each([
    ['/models', 200],
    ['/models?limit=2', 200],
    ['/models#x', 200],
    ['/models/', 'unknown_url'],
    ['/models/a/b', 200],
    ['/models/a%2Fb', 200],
    ['/models/a%252Fb', 'model_not_found'],
    ['/models/%', 'model_not_found'],
    ['/models/%ff', 'model_not_found'],
    ['/models/a+b', 'model_not_found'],
    ['/%zz', 'unknown_url'],
    ['/chat/completions/', 'unknown_url'],
    ['//models', 'unknown_url'],
    ['', 'unknown_url'],
    ['/openapi.json', 'unknown_url'],
  ])('below the API root: %s', async (path, expected) => {
    const admissions = gateway.limiter.admissions.length;
    const reply = await send('GET', `${API_ROOT}${path}`);
    expect(reply.status === 200 ? 200 : codeOf(reply)).toBe(expected);
    expect(gateway.limiter.admissions).toHaveLength(admissions + 1);
    const unauthorized = await send('GET', `${API_ROOT}${path}`, { key: 'nobody' });
    expect(unauthorized.status).toBe(401);
  });

  test.each([
    [`${API_ROOT}0/models`, 404],
    ['/openapi.json', 200],
    ['/%zz', 404],
    ['*', 404],
    ['http://example.org', 404],
    ['http://example.org/openapi.json', 200],
  ])('beside the API root needs no credential and is not charged: %s', async (target, status) => {
    const admissions = gateway.limiter.admissions.length;
    expect((await send('GET', target, { key: 'nobody' })).status).toBe(status);
    expect(gateway.limiter.admissions).toHaveLength(admissions);
  });

  test('of a model can be any text, encoded as a whole', async () => {
    const target = (id: string) => `${API_ROOT}/models/${encodeURIComponent(id)}`;
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1, unit: 'grapheme' }), async (id) => {
        expect(codeOf(await send('GET', target(id)))).toBe('model_not_found');
      }),
      { numRuns: 20 },
    );
  });
});

describe('a method', () => {
  const others = METHODS.filter((method) => !['CONNECT', 'GET', 'HEAD', 'POST'].includes(method));

  test.each([...others, 'POST'])(
    'that is not allowed is refused after the credential check, and charged: %s',
    async (method) => {
      const admissions = gateway.limiter.admissions.length;
      // The headers about a body are not checked.
      const more = 'content-type: none\r\n';
      const reply = await send(method, `${API_ROOT}/models`, { more });
      expect([reply.status, reply.headers['allow']]).toEqual([405, 'GET, HEAD']);
      expect(gateway.limiter.admissions).toHaveLength(admissions + 1);
      const nowhere = await send(method, `${API_ROOT}/nothing`, { more });
      expect(codeOf(nowhere)).toBe('unknown_url');
      expect((await send(method, `${API_ROOT}/models`, { key: 'nobody' })).status).toBe(401);
    },
  );

  test('has its operation recorded, wherever it fails', async () => {
    const recorded = gateway.outcomes.length;
    await send('PATCH', `${API_ROOT}/chat/completions`);
    await send('GET', `${API_ROOT}/models/%zz`);
    await send('GET', `${API_ROOT}/nothing`);
    await waitUntil(() => gateway.outcomes.length === recorded + 3, { what: 'the records' });
    const operations = gateway.outcomes.slice(recorded).map(({ operation }) => operation);
    expect(operations).toEqual(['completions', 'model', 'unknown']);
  });
});
