import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceError } from '@sluice/contracts';
import { useLeakCheck, waitUntil } from '@sluice/devkit';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { REQUEST, completionBytes, completionHead } from './completion-request.ts';
import { helloWorker, type FakeJob } from './fake-workers.ts';
import { InMemoryGateway } from './in-memory-gateway.ts';
import { RawClient, statusLines } from './raw-client.ts';

useLeakCheck();

const small = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';
const document = 'GET /openapi.json HTTP/1.1\r\nhost: a\r\n\r\n';
/** How many small requests fit into the 64 KiB that Node reads at once. */
const requestsInOneRead = Math.ceil(65_536 / small.length);
/** How many small requests fit into the 512 bytes that are parsed at once. */
const requestsInOnePiece = Math.ceil(512 / small.length);
/** The number of requests that may wait while one is served. */
const waitingLimit = 8;

test('requests on one connection are served one at a time and in order', async () => {
  const jobs: FakeJob[] = [];
  await using gateway = await InMemoryGateway.start({ worker: (job) => void jobs.push(job) });
  await using client = await RawClient.connect(gateway.port);
  const completion = completionBytes(gateway.key);
  client.send(`${completion}${small}${completion}${document}`.repeat(2), completion);
  for (let served = 1; served <= 5; served += 1) {
    await waitUntil(() => jobs.length >= served, { what: 'the next job' });
    // By the end of another client's request, further requests would have begun.
    expect((await gateway.request('/models')).status).toBe(200);
    expect(jobs).toHaveLength(served);
    for (const job of jobs.slice(-1)) helloWorker(job);
  }
  await waitUntil(() => statusLines(client.received).length === 9, { what: 'every reply' });
  const statuses = statusLines(client.received).map((line) => line.slice(-3));
  expect(statuses.join(' ')).toBe('200 404 200 200 200 404 200 200 200');
});

describe('a client that sends many requests on one connection', () => {
  test.each([
    ['as many as may wait are answered', waitingLimit, waitingLimit + 1],
    ['with one more the connection is closed, and none of them is started', waitingLimit + 1, 0],
  ])('%s', async (_case, waiting, replies) => {
    const jobs: FakeJob[] = [];
    await using gateway = await InMemoryGateway.start({ worker: (job) => void jobs.push(job) });
    await using client = await RawClient.connect(gateway.port);
    client.send(completionBytes(gateway.key), completionBytes(gateway.key).repeat(waiting));
    const isOver = () => {
      for (const job of jobs) helloWorker(job);
      return client.closed || statusLines(client.received).length > waiting;
    };
    await waitUntil(() => jobs.length > 0 && (replies > 0 || client.closed), { what: 'a job' });
    await waitUntil(isOver, { what: 'the end' });
    expect(statusLines(client.received)).toHaveLength(replies);
    expect(gateway.limiter.admissions).toHaveLength(Math.max(1, replies));
    expect(client.closed).toBe(replies === 0);
  });

  test('is disconnected while it waits for the last reply of the connection', async () => {
    const jobs: FakeJob[] = [];
    await using gateway = await InMemoryGateway.start({ worker: (job) => void jobs.push(job) });
    await using client = await RawClient.connect(gateway.port);
    client.send(completionBytes(gateway.key));
    await waitUntil(() => jobs.length === 1, { what: 'the job' });
    // The reply to the first request becomes the last one of its connection.
    gateway.app.openRequests.closeAfterReplies();
    client.send(small.repeat(waitingLimit + 1));
    expect(await client.waitForClose()).toBe('');
  });
});

test('of many requests that arrive at once, only those in one piece are parsed', async () => {
  await using gateway = await InMemoryGateway.start();
  let requests = 0;
  gateway.app.fastify.server.on('request', () => (requests += 1));
  await using client = await RawClient.connect(gateway.port);
  client.send(small.repeat(4 * requestsInOneRead));
  await client.waitForClose();
  expect(requests).toBeLessThanOrEqual(requestsInOnePiece);
});

describe('many clients that send many requests at once', () => {
  const floods = 200;

  test.each([
    ['far more than may wait', 110],
    ['as many as may wait', waitingLimit + 1],
  ])('do not delay the request of another client: %s', async (_case, each) => {
    await using gateway = await InMemoryGateway.start();
    let served = 0;
    let closedInTurn = 0;
    let mostClosedInTurn = 0;
    const { server } = gateway.app.fastify;
    server.on('connection', (socket: Socket) => {
      socket.once('close', () => {
        if (closedInTurn === 0) setImmediate(() => (closedInTurn = 0));
        closedInTurn += 1;
        mostClosedInTurn = Math.max(mostClosedInTurn, closedInTurn);
      });
    });
    let servedBefore: number | undefined;
    server.prependListener('request', ({ url }, response) =>
      response.once('finish', () => {
        served += 1;
        if (url === '/openapi.json') servedBefore = served - 1;
      }),
    );
    await using innocent = await RawClient.connect(gateway.port);
    await using clients = new AsyncDisposableStack();
    const flooding: RawClient[] = [];
    for (let count = 0; count < floods; count += 1) {
      flooding.push(clients.use(await RawClient.connect(gateway.port)));
    }
    for (const client of flooding) client.send(small.repeat(each));
    innocent.send(document);
    expect((await innocent.reply()).status).toBe(200);
    // One request of each client, and one more that may have started a turn of the event loop later.
    expect(servedBefore).toBeLessThanOrEqual(2 * floods);
    const areOver = () =>
      flooding.every(
        ({ closed, received }) => closed || statusLines(received).length === waitingLimit + 1,
      );
    await waitUntil(areOver, { what: 'the other clients to be answered or closed' });
    expect(flooding.filter(({ closed }) => closed)).toHaveLength(each > 9 ? floods : 0);
    expect(mostClosedInTurn).toBeLessThanOrEqual(1);
  });
});

test('only one unread reply is buffered for a connection, and no more requests start', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'unread-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await using gateway = new InMemoryGateway();
  const path = join(folder, 'socket');
  // A Unix socket, for which the system buffers some 200 KB. TCP buffers grow.
  await gateway.app.fastify.listen({ path });
  const responses: ServerResponse[] = [];
  const bodies = new Set<unknown>();
  gateway.app.fastify.server.prependListener('request', (_, response: ServerResponse) => {
    responses.push(response);
    const { end } = response;
    vi.spyOn(response, 'end').mockImplementation((...given: unknown[]) => {
      bodies.add(given[0]);
      return Reflect.apply(end, response, given) as ServerResponse;
    });
  });
  const read = connect(path).on('data', (piece: Buffer) => (received += piece.length));
  let received = 0;
  read.write(document);
  await waitUntil(() => received > 0 && gateway.app.openRequests.requestCount === 0, {
    what: 'the first reply',
  });
  const replyBytes = received;
  read.destroy();
  const unread = connect(path).pause();
  const asked = waitingLimit + 1;
  expect(asked * replyBytes).toBeGreaterThan(400_000);
  unread.write(document.repeat(asked));
  const isHeld = () => responses.some(({ writableLength }) => writableLength > 0);
  await waitUntil(() => responses.length === asked + 1 && isHeld(), {
    what: 'a reply to be buffered',
  });
  // By the end of another client's reply, further requests would have begun.
  const other = connect(path).resume();
  other.write(small);
  await once(other, 'data');
  other.destroy();
  const held = responses.reduce((sum, response) => sum + response.writableLength, 0);
  expect(held).toBeLessThanOrEqual(replyBytes);
  // Every reply has the same bytes in memory.
  const documents = [...bodies].filter((body) => String(body).startsWith('{"openapi"'));
  expect(documents).toHaveLength(1);
  unread.destroy();
  await waitUntil(() => gateway.app.openRequests.connectionCount === 0, {
    what: 'all to be closed',
  });
});

test('after the last reply of a connection at most one more piece is parsed', async () => {
  await using gateway = await InMemoryGateway.start();
  let requests = 0;
  gateway.app.fastify.server.on('request', () => (requests += 1));
  await using client = await RawClient.connect(gateway.port, { allowHalfOpen: true });
  // Without a credential the request is refused before its body arrives, which makes this the last reply.
  client.send(
    'POST /compat/v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\nab',
  );
  await client.waitFor('HTTP/1.1 401');
  client.send('cde', small.repeat(4 * requestsInOneRead));
  client.socket.end();
  expect(statusLines(await client.waitForClose())).toEqual(['HTTP/1.1 401']);
  expect(requests).toBeLessThanOrEqual(1 + requestsInOnePiece);
});

test('a body of declared length is read to its end, and the requests after it are served', async () => {
  const jobs: FakeJob[] = [];
  const worker = (job: FakeJob) => {
    jobs.push(job);
    helloWorker(job);
  };
  await using gateway = await InMemoryGateway.start({ worker });
  await using client = await RawClient.connect(gateway.port);
  const content = Array.from({ length: 40_000 }, (_, index) => String(index)).join(' ');
  const body = JSON.stringify({ ...REQUEST, messages: [{ role: 'user', content }] });
  const completion = completionHead(gateway.key, `content-length: ${body.length}`) + body;
  client.send(completion + small + completion + small);
  await waitUntil(() => statusLines(client.received).length === 4, { what: 'every reply' });
  const statuses = statusLines(client.received).map((line) => line.slice(-3));
  expect(statuses.join(' ')).toBe('200 404 200 404');
  expect(jobs).toHaveLength(2);
});

test('bytes after a CONNECT are not parsed for another connection', async () => {
  await using gateway = await InMemoryGateway.start();
  await using other = await RawClient.connect(gateway.port);
  await using client = await RawClient.connect(gateway.port);
  client.send(
    `CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\n${document.repeat(4 * requestsInOnePiece)}`,
  );
  other.send(small);
  expect((await other.reply()).status).toBe(404);
  expect(await client.waitForClose()).toBe('');
  expect(statusLines(other.received)).toEqual(['HTTP/1.1 404']);
});

describe('a client with Expect: 100-continue after another request', () => {
  const body = JSON.stringify(REQUEST);
  const asking = (gateway: InMemoryGateway) =>
    completionHead(gateway.key, `content-length: ${body.length}`, 'expect: 100-continue');

  async function startWithJobs() {
    const jobs: FakeJob[] = [];
    const gateway = await InMemoryGateway.start({ worker: (job) => void jobs.push(job) });
    const waitForJobs = (count: number) =>
      waitUntil(() => jobs.length === count, { what: `${count} jobs` });
    return { gateway, jobs, waitForJobs };
  }

  test('gets 100 Continue once the previous reply is sent', async () => {
    const { gateway, jobs, waitForJobs } = await startWithJobs();
    await using _stop = gateway;
    await using client = await RawClient.connect(gateway.port);
    client.send(completionBytes(gateway.key), asking(gateway));
    await waitForJobs(1);
    expect(client.received).toBe('');
    for (const job of jobs) helloWorker(job);
    await client.waitFor('HTTP/1.1 100');
    client.send(body);
    await waitForJobs(2);
    for (const job of jobs.slice(1)) helloWorker(job);
    await waitUntil(() => statusLines(client.received).length === 3, { what: 'the last reply' });
    expect(statusLines(client.received)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 100', 'HTTP/1.1 200']);
  });

  test('gets 100 Continue before its reply even if it did not wait, and stays connected', async () => {
    const { gateway, jobs, waitForJobs } = await startWithJobs();
    await using _stop = gateway;
    await using client = await RawClient.connect(gateway.port);
    client.send(completionBytes(gateway.key), asking(gateway), body, completionBytes(gateway.key));
    for (let served = 1; served <= 3; served += 1) {
      await waitForJobs(served);
      for (const job of jobs.slice(-1)) helloWorker(job);
    }
    const whole = () => client.received.match(/Hello.*}/g)?.length === 3;
    await waitUntil(whole, { what: 'every reply' });
    expect(statusLines(client.received).map((line) => line.slice(-3))).toEqual([
      '200',
      '100',
      '200',
      '200',
    ]);
  });
});

describe('requests on one connection while the process stops', () => {
  test('are dropped after the last one that is answered', async () => {
    await using gateway = await InMemoryGateway.start();
    gateway.drain.enter('announcing');
    await using client = await RawClient.connect(gateway.port);
    client.send(completionBytes(gateway.key).repeat(3));
    expect(statusLines(await client.waitForClose())).toEqual(['HTTP/1.1 200']);
    expect(gateway.limiter.admissions).toHaveLength(1);
    expect(gateway.outcomes).toMatchObject([{ outcome: 'completed' }]);
  });

  test('are dropped if they waited for the one before them', async () => {
    const jobs: FakeJob[] = [];
    await using gateway = await InMemoryGateway.start({ worker: (job) => void jobs.push(job) });
    await using client = await RawClient.connect(gateway.port);
    client.send(completionBytes(gateway.key).repeat(9));
    await waitUntil(() => jobs.length === 1, { what: 'the first job' });
    gateway.drain.enter('announcing');
    for (const job of jobs) helloWorker(job);
    await waitUntil(() => jobs.length === 2, { what: 'the last job' });
    for (const job of jobs.slice(1)) helloWorker(job);
    expect(statusLines(await client.waitForClose())).toHaveLength(2);
    expect(gateway.limiter.admissions).toHaveLength(2);
  });

  test('are dropped with the one that is served, whose client gets an error', async () => {
    const jobs: FakeJob[] = [];
    await using gateway = await InMemoryGateway.start({ worker: (job) => void jobs.push(job) });
    await using client = await RawClient.connect(gateway.port);
    client.send(completionBytes(gateway.key).repeat(3));
    await waitUntil(() => jobs.length === 1, { what: 'the job' });
    gateway.app.openRequests.abortAll(new ServiceError('service_unavailable', 'No more.'));
    const text = await client.waitForClose();
    expect(statusLines(text)).toEqual(['HTTP/1.1 503']);
    expect(text.match(/^connection: \S+/gim)).toEqual(['connection: close']);
    expect(gateway.limiter.admissions).toHaveLength(1);
  });

  test('get an error if their body breaks, as always', async () => {
    await using gateway = await InMemoryGateway.start();
    gateway.drain.enter('announcing');
    await using client = await RawClient.connect(gateway.port);
    client.send(completionHead(gateway.key, 'transfer-encoding: chunked'), '1\r\n{\r\nzz\r\n');
    const reply = await client.reply();
    expect([reply.status, reply.headers['connection']]).toEqual([400, 'close']);
    expect(statusLines(await client.waitForClose())).toEqual(['HTTP/1.1 400']);
  });
});
