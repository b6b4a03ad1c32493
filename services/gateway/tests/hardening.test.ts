import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { useLeakCheck, waitUntil } from '@sluice/devkit';
import { describe, expect, test, vi } from 'vitest';
import { API_ROOT, REQUEST, completionHead } from './completion-request.ts';
import { InMemoryGateway } from './in-memory-gateway.ts';
import { RawClient, type RawReply } from './raw-client.ts';

useLeakCheck();

const turn = () => new Promise((resolve) => setImmediate(resolve));

function expectError(reply: RawReply, status: number, code: string | null): void {
  expect(reply.status).toBe(status);
  expect(JSON.parse(reply.body)).toMatchObject({ error: { code, param: null } });
  expect(reply.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  expect(reply.headers['x-server-request-id']).toBe(reply.headers['x-request-id']);
}

describe('a request has exactly one Host header', () => {
  test('no Host header: 400', async () => {
    await using gateway = await InMemoryGateway.start();
    await using client = await RawClient.connect(gateway.port);
    client.send('GET /openapi.json HTTP/1.1\r\n\r\n');
    expectError(await client.reply(), 400, null);
  });

  test('an empty Host header: served', async () => {
    await using gateway = await InMemoryGateway.start();
    await using client = await RawClient.connect(gateway.port);
    client.send('GET /openapi.json HTTP/1.1\r\nhost:\r\n\r\n');
    expect((await client.reply()).status).toBe(200);
  });

  test('HTTP/1.0 without a Host header: served', async () => {
    await using gateway = await InMemoryGateway.start();
    await using client = await RawClient.connect(gateway.port);
    client.send('GET /openapi.json HTTP/1.0\r\n\r\n');
    expect((await client.reply()).status).toBe(200);
  });

  test.each(['1.0', '1.1'])('two Host headers by HTTP/%s: 400', async (version) => {
    await using gateway = await InMemoryGateway.start();
    await using client = await RawClient.connect(gateway.port);
    client.send(`GET /openapi.json HTTP/${version}\r\nhost: a\r\nHost: a\r\n\r\n`);
    expectError(await client.reply(), 400, null);
  });
});

describe('a request that Node cannot read gets ids and an error body', () => {
  test('bytes that are not HTTP: 400', async () => {
    await using gateway = await InMemoryGateway.start();
    await using client = await RawClient.connect(gateway.port);
    client.send('HELLO THERE\r\n\r\n');
    expectError(await client.reply(), 400, null);
    await client.waitForClose();
  });

  test('headers beyond their limit: 431', async () => {
    await using gateway = await InMemoryGateway.start();
    await using client = await RawClient.connect(gateway.port);
    client.send(`GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`);
    expectError(await client.reply(), 431, 'headers_too_large');
  });

  test('headers that do not arrive: 408', async () => {
    await using gateway = await InMemoryGateway.start({ settings: { HEADERS_TIMEOUT_MS: 50 } });
    await using client = await RawClient.connect(gateway.port);
    client.send('GET / HTTP/1.1\r\nhost: a\r\n');
    expectError(await client.reply(), 408, 'request_timeout');
    await client.waitForClose();
  });

  test('a body that does not arrive: 408, charged like any other refusal', async () => {
    await using gateway = await InMemoryGateway.start({
      settings: { HEADERS_TIMEOUT_MS: 50, REQUEST_TIMEOUT_MS: 100 },
    });
    await using client = await RawClient.connect(gateway.port);
    client.send(completionHead(gateway.key, 'content-length: 100'), '{');
    const reply = await client.reply();
    expectError(reply, 408, 'request_timeout');
    expect(reply.headers['x-ratelimit-remaining-requests']).toBe('59');
    await client.waitForClose();
  });

  test('headers may take longer than the five minutes that Node gives to a request', async () => {
    const settings = { HEADERS_TIMEOUT_MS: 400_000, REQUEST_TIMEOUT_MS: 600_000 };
    await using gateway = await InMemoryGateway.start({ settings });
    expect((await gateway.request('/models')).status).toBe(200);
  });

  test('a broken chunk in the body: 400, charged like any other refusal', async () => {
    await using gateway = await InMemoryGateway.start();
    await using client = await RawClient.connect(gateway.port);
    client.send(completionHead(gateway.key, 'transfer-encoding: chunked'), 'zz\r\n');
    const reply = await client.reply();
    expectError(reply, 400, null);
    expect(gateway.limiter.admissions).toHaveLength(1);
    await client.waitForClose();
  });

  test('an unknown expectation: 417', async () => {
    await using gateway = await InMemoryGateway.start();
    await using client = await RawClient.connect(gateway.port);
    client.send(completionHead(gateway.key, 'expect: miracles', 'content-length: 2'));
    const reply = await client.reply();
    expectError(reply, 417, 'expectation_failed');
    expect(reply.headers['access-control-allow-origin']).toBe('*');
  });

  test('a CONNECT request gets no reply, is not counted and holds nothing', async () => {
    const lines: string[] = [];
    await using gateway = await InMemoryGateway.start({ log: (line) => void lines.push(line) });
    await using client = await RawClient.connect(gateway.port);
    client.send('CONNECT example.org:443 HTTP/1.1\r\nhost: example.org:443\r\n\r\n');
    expect(await client.waitForClose()).toBe('');
    expect(gateway.app.openRequests).toMatchObject({ connectionCount: 0, requestCount: 0 });
    expect(lines.filter((line) => line.includes('"request"'))).toEqual([]);
  });

  test('a CONNECT request after another request ends the connection without a reply', async () => {
    const offered = Promise.withResolvers<void>();
    await using gateway = await InMemoryGateway.start({ worker: () => offered.resolve() });
    await using client = await RawClient.connect(gateway.port);
    const body = JSON.stringify(REQUEST);
    client.send(completionHead(gateway.key, `content-length: ${body.length}`), body);
    await offered.promise;
    client.send('CONNECT example.org:443 HTTP/1.1\r\nhost: example.org:443\r\n\r\n');
    expect(await client.waitForClose()).toBe('');
  });
});

describe('bodies', () => {
  const body = JSON.stringify(REQUEST);

  test('can arrive in chunks of any size', async () => {
    await using gateway = await InMemoryGateway.start();
    await using client = await RawClient.connect(gateway.port);
    client.send(completionHead(gateway.key, 'transfer-encoding: chunked'));
    for (const character of body) client.send(`1\r\n${character}\r\n`);
    client.send('0\r\n\r\n');
    expect((await client.reply()).status).toBe(200);
  });

  /** The body, followed by spaces, in the given number of chunks of one byte. */
  const inTinyChunks = (chunks: number) =>
    Array.from(body.padEnd(chunks), (character) => `1\r\n${character}\r\n`).join('');

  test('in many small chunks are served', async () => {
    await using gateway = await InMemoryGateway.start();
    await using client = await RawClient.connect(gateway.port);
    const head = completionHead(gateway.key, 'transfer-encoding: chunked');
    client.send(head, inTinyChunks(4_096), '0\r\n\r\n');
    expect((await client.reply()).status).toBe(200);
  });

  test('in chunks of 128 bytes are served, however large', async () => {
    await using gateway = await InMemoryGateway.start();
    await using client = await RawClient.connect(gateway.port);
    const head = completionHead(gateway.key, 'transfer-encoding: chunked');
    const chunks = body.padEnd(3_500_000).replaceAll(/[^]{1,128}/g, (text) => {
      return `${text.length.toString(16)}\r\n${text}\r\n`;
    });
    client.send(head, chunks, '0\r\n\r\n');
    expect((await client.reply()).status).toBe(200);
  });

  test('in an excessive number of small chunks are refused', async () => {
    await using gateway = await InMemoryGateway.start();
    await using client = await RawClient.connect(gateway.port);
    client.send(completionHead(gateway.key, 'transfer-encoding: chunked'), inTinyChunks(4_200));
    const reply = await client.reply();
    expectError(reply, 400, null);
    expect(reply.body).toContain('too many small chunks');
    expect(reply.headers['connection']).toBe('close');
  });

  test('in small chunks are not parsed before the earlier checks', async () => {
    await using gateway = await InMemoryGateway.start();
    const checked = Promise.withResolvers<void>();
    const { authenticate } = gateway.directory;
    vi.spyOn(gateway.directory, 'authenticate').mockImplementation(async (...given) => {
      await checked.promise;
      return authenticate.apply(gateway.directory, given);
    });
    const arrived = once(gateway.app.fastify.server, 'request') as Promise<[IncomingMessage]>;
    await using client = await RawClient.connect(gateway.port);
    client.send(completionHead(gateway.key, 'transfer-encoding: chunked'), inTinyChunks(4_000));
    const [request] = await arrived;
    // By the end of another client's request, more would have arrived.
    await using other = await RawClient.connect(gateway.port);
    other.send('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    expect((await other.reply()).status).toBe(404);
    expect(request.readableLength).toBeGreaterThan(0);
    expect(request.readableLength).toBeLessThan(1_000);
    checked.resolve();
    client.send('0\r\n\r\n');
    expect((await client.reply()).status).toBe(200);
  });

  test('without chunks can arrive in pieces of any size', async () => {
    await using gateway = await InMemoryGateway.start();
    const padded = body.padEnd(5_000);
    const connected = once(gateway.app.fastify.server, 'connection') as Promise<[Socket]>;
    await using client = await RawClient.connect(gateway.port);
    client.socket.setNoDelay(true);
    const [connection] = await connected;
    client.send(completionHead(gateway.key, `content-length: ${padded.length}`));
    for (const character of padded) {
      const read = connection.bytesRead;
      client.send(character);
      while (connection.bytesRead === read) await turn();
    }
    expect((await client.reply()).status).toBe(200);
  });

  test.each([
    ['of an unknown caller', 'unknown', 401],
    ['of a known caller', undefined, 400],
  ])('in small chunks %s are read to their end after the refusal', async (_, key, status) => {
    await using gateway = await InMemoryGateway.start();
    await using client = await RawClient.connect(gateway.port, { allowHalfOpen: true });
    const errors: unknown[] = [];
    client.socket.on('error', (error) => errors.push(error));
    client.send(completionHead(key ?? gateway.key, 'transfer-encoding: chunked'));
    for (let count = 0; count < 50; count += 1) client.send(inTinyChunks(1_000));
    client.socket.end('0\r\n\r\n');
    expect(await client.waitForClose()).toContain(`HTTP/1.1 ${status}`);
    expect(errors).toEqual([]);
  });

  test('are requested only after the earlier checks', async () => {
    await using gateway = await InMemoryGateway.start();
    await using client = await RawClient.connect(gateway.port);
    client.send(
      completionHead(gateway.key, 'expect: 100-continue', `content-length: ${body.length}`),
    );
    await client.waitFor('HTTP/1.1 100 Continue\r\n\r\n');
    client.send(body);
    await client.waitFor('HTTP/1.1 200 OK');
    await using unauthorized = await RawClient.connect(gateway.port);
    unauthorized.send(
      `POST ${API_ROOT}/chat/completions HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 9\r\n\r\n`,
    );
    const reply = await unauthorized.reply();
    expect([reply.status, reply.headers['connection']]).toEqual([401, 'close']);
  });

  test('that declare a too large size are refused before they arrive', async () => {
    await using gateway = await InMemoryGateway.start({ settings: { BODY_LIMIT_BYTES: 1_024 } });
    await using client = await RawClient.connect(gateway.port);
    client.send(completionHead(gateway.key, 'content-length: 1025'));
    const reply = await client.reply();
    expectError(reply, 413, 'request_too_large');
    expect(reply.headers['connection']).toBe('close');
    await client.waitForClose();
  });

  test.each([
    [
      'with a declared size',
      (bytes: Buffer) => ({ head: `content-length: ${bytes.length}`, bytes }),
    ],
    [
      'in chunks',
      (bytes: Buffer) => ({
        head: 'transfer-encoding: chunked',
        bytes: `${bytes.length.toString(16)}\r\n${bytes.toString()}\r\n0\r\n\r\n`,
      }),
    ],
  ])('of exactly the maximum size, %s, are served', async (_, sent) => {
    const exact = Buffer.from(body.padEnd(1_024));
    await using gateway = await InMemoryGateway.start({ settings: { BODY_LIMIT_BYTES: 1_024 } });
    await using client = await RawClient.connect(gateway.port);
    const { head, bytes } = sent(exact);
    client.send(completionHead(gateway.key, head), bytes);
    expect((await client.reply()).status).toBe(200);
  });

  test('in an unsupported transfer coding are refused', async () => {
    await using gateway = await InMemoryGateway.start();
    await using client = await RawClient.connect(gateway.port);
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    client.send(completionHead(gateway.key, 'transfer-encoding: gzip, chunked'), chunk);
    expectError(await client.reply(), 415, 'unsupported_media_type');
  });

  test('that exceed the limit while they arrive are refused at once', async () => {
    await using gateway = await InMemoryGateway.start({ settings: { BODY_LIMIT_BYTES: 1_024 } });
    await using client = await RawClient.connect(gateway.port);
    client.send(
      completionHead(gateway.key, 'transfer-encoding: chunked'),
      `401\r\n${'x'.repeat(1_025)}\r\n`,
    );
    expectError(await client.reply(), 413, 'request_too_large');
  });

  test('that stop arriving share a memory limit and free it when they end', async () => {
    await using gateway = await InMemoryGateway.start({ maxArrivingBytes: 1_500_000 });
    const half = 'x'.repeat(1_000_000);
    await using first = await RawClient.connect(gateway.port);
    first.send(completionHead(gateway.key, 'content-length: 2000000'), half);
    await waitUntil(() => gateway.arriving.bytes === 1_000_000, {
      what: 'the first half to be held',
    });
    await using second = await RawClient.connect(gateway.port);
    second.send(completionHead(gateway.key, 'content-length: 2000000'), half);
    const reply = await second.reply();
    expectError(reply, 503, 'service_unavailable');
    expect(reply.headers['retry-after']).toBe('1');
    await using small = await RawClient.connect(gateway.port);
    small.send(completionHead(gateway.key, `content-length: ${body.length}`), body);
    expect((await small.reply()).status).toBe(200);
    first.socket.destroy();
    await waitUntil(() => gateway.arriving.bytes === 0, { what: 'the memory to be free again' });
  });

  test('that have arrived before they are read free no memory of other bodies', async () => {
    await using gateway = await InMemoryGateway.start();
    const { resolveCredential } = gateway.catalog;
    gateway.catalog.resolveCredential = async (...question) => {
      await turn();
      return resolveCredential(...question);
    };
    await using client = await RawClient.connect(gateway.port);
    client.send(`${completionHead(gateway.key, `content-length: ${body.length}`)}${body}`);
    expect((await client.reply()).status).toBe(200);
    expect(gateway.arriving.bytes).toBe(0);
  });

  test.each([
    ['in large chunks', `100000\r\n${'x'.repeat(0x10_00_00)}\r\n`],
    ['in small chunks', inTinyChunks(150_000)],
  ])('that continue without end after their refusal, %s, lose the connection', async (_, piece) => {
    await using gateway = await InMemoryGateway.start({ settings: { BODY_LIMIT_BYTES: 1_024 } });
    // The client keeps sending after the server has ended its side of the connection.
    await using client = await RawClient.connect(gateway.port, { allowHalfOpen: true });
    client.send(completionHead(gateway.key, 'transfer-encoding: chunked'));
    await waitUntil(
      () => {
        if (!client.closed && client.socket.writable) client.send(piece);
        return client.closed;
      },
      { what: 'the connection to close' },
    );
    expect(client.received).toContain('HTTP/1.1 413');
  });

  test.each([
    ['nothing', undefined, 415],
    ['text', 'text/plain', 415],
    ['another JSON', 'application/vnd.api+json', 415],
    ['a list', 'application/json, text/plain', 415],
    ['another charset', 'application/json; charset=latin1', 415],
    ['a broken media type', 'application/json/x', 415],
    ['UTF-8', 'application/json; charset=utf-8', 200],
    ['another charset after a quoted text', 'application/json; a="b;c"; charset=latin1', 415],
    ['a charset that is not closed', 'application/json; charset="utf-8', 415],
    ['a charset in the text of another parameter', 'application/json; a="b; charset=latin1"', 200],
    ['UTF-8, quoted, beside others', 'Application/JSON; a=b; charset="UTF-8"', 200],
  ])('declared as %s', async (_case, type, status) => {
    await using gateway = await InMemoryGateway.start();
    const reply = await gateway.request('/chat/completions', {
      method: 'POST',
      body: Buffer.from(body),
      headers: type === undefined ? {} : { 'content-type': type },
    });
    expect(reply.status).toBe(status);
  });

  test('with a content encoding are refused', async () => {
    await using gateway = await InMemoryGateway.start();
    const reply = await gateway.complete({}, { headers: { 'content-encoding': 'gzip' } });
    expect(reply.status).toBe(415);
  });

  test('above the direct limit are examined in a thread and forwarded unchanged', async () => {
    let received: unknown;
    await using gateway = await InMemoryGateway.start({
      worker: ({ body: taken }) => {
        received = taken;
      },
    });
    const messages = [{ role: 'user', content: 'long '.repeat(100_000) }];
    const asked = new AbortController();
    const reply = gateway.complete({ messages }, { signal: asked.signal });
    const left = reply.catch((error: unknown) => error);
    await waitUntil(() => received, { what: 'the job' });
    expect(received).toEqual({ ...REQUEST, messages });
    asked.abort();
    expect(await left).toMatchObject({ name: 'AbortError' });
    const invalid = await gateway.complete({ messages, temperature: 3 });
    expect([invalid.status, await invalid.json()]).toMatchObject([
      400,
      { error: { param: 'temperature' } },
    ]);
  });
});

test('a request in absolute form is served', async () => {
  await using gateway = await InMemoryGateway.start();
  await using client = await RawClient.connect(gateway.port);
  client.send(
    `GET http://example.org${API_ROOT}/models HTTP/1.1\r\nhost: example.org\r\n` +
      `authorization: ${gateway.authorization}\r\n\r\n`,
  );
  expect((await client.reply()).status).toBe(200);
});

test('no log line contains content, a key or a stack trace for a client error', async () => {
  const lines: string[] = [];
  await using gateway = await InMemoryGateway.start({ log: (line) => void lines.push(line) });
  const secret = 'marmalade';
  await gateway.complete({ messages: [{ role: 'user', content: secret }] });
  await gateway.complete({ model: secret });
  await gateway.complete({ [secret]: 1 });
  await gateway.request('/chat/completions', {
    method: 'POST',
    body: `{"model": ${secret}`,
    headers: { 'content-type': 'application/json' },
  });
  await gateway.request(`/models/${secret}`);
  await waitUntil(() => lines.length >= 5, { what: 'the log lines' });
  const log = lines.join('');
  expect(log).not.toContain(secret);
  expect(log).not.toContain('Hello');
  expect(log).not.toContain(gateway.key);
});
