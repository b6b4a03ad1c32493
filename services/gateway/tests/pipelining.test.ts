import { connect } from 'node:net';
import { ServiceError } from '@sluice/contracts';
import { useLeakCheck, waitUntil } from '@sluice/testkit';
import { describe, expect, test } from 'vitest';
import { REQUEST, completionBytes, completionHead } from './completion-request.ts';
import { politeWorker, type FakeJob } from './fake-workers.ts';
import { InMemoryGateway } from './in-memory-gateway.ts';
import { RawClient, statusLines } from './raw-client.ts';

useLeakCheck();

test('requests on one connection are worked on a few at a time, and all answered', async () => {
  const jobs: FakeJob[] = [];
  let answering = false;
  await using gateway = await InMemoryGateway.start({
    worker: (job) => {
      jobs.push(job);
      if (answering) politeWorker(job);
    },
  });
  await using client = await RawClient.connect(gateway.port);
  const count = 200;
  client.send(completionBytes(gateway.key).repeat(count));
  await waitUntil(() => jobs.length >= 32, { what: 'the first jobs' });
  // A whole exchange of somebody else: time enough for more to begin.
  expect((await gateway.request('/models')).status).toBe(200);
  expect(jobs).toHaveLength(32);
  answering = true;
  for (const job of jobs) politeWorker(job);
  await waitUntil(() => statusLines(client.received).length === count, { what: 'every reply' });
  expect(new Set(statusLines(client.received))).toEqual(new Set(['HTTP/1.1 200']));
});

const small = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';
/** What Node reads at once. */
const mostInOneRead = Math.ceil(65_536 / small.length);

describe('a client that sends requests without end on one connection', () => {
  const count = 2 * mostInOneRead;
  /** On one connection. */
  const openLimit = 512;
  const atOnce = 400;

  test('has no turn of the event loop for itself', async () => {
    await using gateway = await InMemoryGateway.start();
    let inThisTurn = 0;
    let most = 0;
    gateway.app.fastify.server.on('request', () => {
      if (inThisTurn === 0) setImmediate(() => (inThisTurn = 0));
      inThisTurn += 1;
      most = Math.max(most, inThisTurn);
    });
    await using socket = connect({ port: gateway.port, host: '127.0.0.1' });
    let replies = 0;
    let sent = 0;
    const send = () => {
      socket.write(small.repeat(atOnce));
      sent += atOnce;
    };
    let rest = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      const parts = (rest + text).split('"unknown_url"');
      replies += parts.length - 1;
      rest = parts.at(-1) ?? '';
      if (replies === sent && sent < count) send();
    });
    send();
    await waitUntil(() => replies >= count, { what: 'every reply' });
    expect(most).toBeLessThanOrEqual(atOnce);
  });

  test('gets as many replies as it may wait for, if all have come at once', async () => {
    await using gateway = await InMemoryGateway.start();
    await using client = await RawClient.connect(gateway.port, { allowHalfOpen: true });
    client.send(small.repeat(count));
    client.socket.end();
    const replies = (await client.isClosed()).split('HTTP/1.1 404').slice(1);
    expect(replies).toHaveLength(openLimit);
    expect(replies.at(-1)).toMatch(/^connection: close/im);
  });

  test('is not read while those that have come wait', async () => {
    const jobs: FakeJob[] = [];
    await using gateway = await InMemoryGateway.start({ worker: (job) => void jobs.push(job) });
    await using client = await RawClient.connect(gateway.port);
    client.send(completionBytes(gateway.key).repeat(32) + small.repeat(count));
    await waitUntil(() => jobs.length === 32, { what: 'the jobs' });
    for (const [index, job] of jobs.slice(0, 8).entries()) {
      politeWorker(job);
      await waitUntil(() => statusLines(client.received).length > index, { what: 'its reply' });
    }
    // A whole exchange of somebody else: time enough for more to be read.
    expect((await gateway.request('/models')).status).toBe(200);
    expect(gateway.app.connections.exchangeCount).toBeLessThanOrEqual(openLimit);
  });

  test('is not read either while it waits for the last reply of the connection', async () => {
    const jobs: FakeJob[] = [];
    await using gateway = await InMemoryGateway.start({ worker: (job) => void jobs.push(job) });
    let requests = 0;
    gateway.app.fastify.server.on('request', () => (requests += 1));
    await using client = await RawClient.connect(gateway.port, { allowHalfOpen: true });
    client.send(completionBytes(gateway.key));
    await waitUntil(() => jobs.length === 1, { what: 'the job' });
    // Nobody knows where its body ends, or whether it comes.
    client.send(`${completionHead('nobody', 'expect: 100-continue', 'content-length: 2')}{}`);
    client.send(small.repeat(count));
    await waitUntil(() => requests > 1, { what: 'the first of them' });
    // Whole exchanges of somebody else: time enough for more to be read.
    for (let turn = 0; turn < 8; turn += 1) {
      expect((await gateway.request('/models')).status).toBe(200);
    }
    expect(requests).toBeLessThanOrEqual(10 + mostInOneRead);
    for (const job of jobs) politeWorker(job);
    await client.receives('invalid_api_key');
    client.socket.end();
    expect(statusLines(await client.isClosed())).toEqual(['HTTP/1.1 200', 'HTTP/1.1 401']);
  });
});

test('of what comes behind the last reply of a connection, no more is parsed than one read', async () => {
  await using gateway = await InMemoryGateway.start();
  let requests = 0;
  gateway.app.fastify.server.on('request', () => (requests += 1));
  await using client = await RawClient.connect(gateway.port, { allowHalfOpen: true });
  // Without a credential it is refused before its body is here, which makes this the last reply.
  client.send(
    'POST /compat/v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\nab',
  );
  await client.receives('HTTP/1.1 401');
  client.send('cde', small.repeat(4 * mostInOneRead));
  client.socket.end();
  expect(statusLines(await client.isClosed())).toEqual(['HTTP/1.1 401']);
  expect(requests).toBeLessThanOrEqual(1 + mostInOneRead);
});

describe('a client that asks whether to send its body, behind another request', () => {
  const body = JSON.stringify(REQUEST);
  const asking = (gateway: InMemoryGateway) =>
    completionHead(gateway.key, `content-length: ${body.length}`, 'expect: 100-continue');

  async function startWithJobs() {
    const jobs: FakeJob[] = [];
    const gateway = await InMemoryGateway.start({ worker: (job) => void jobs.push(job) });
    const jobsAre = (count: number) =>
      waitUntil(() => jobs.length === count, { what: `${count} jobs` });
    return { gateway, jobs, jobsAre };
  }

  test('is told to once the reply before is out', async () => {
    const { gateway, jobs, jobsAre } = await startWithJobs();
    await using _stop = gateway;
    await using client = await RawClient.connect(gateway.port);
    client.send(completionBytes(gateway.key), asking(gateway));
    await jobsAre(1);
    expect(client.received).toBe('');
    for (const job of jobs) politeWorker(job);
    await client.receives('HTTP/1.1 100');
    client.send(body);
    await jobsAre(2);
    for (const job of jobs.slice(1)) politeWorker(job);
    await waitUntil(() => statusLines(client.received).length === 3, { what: 'the last reply' });
    expect(statusLines(client.received)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 100', 'HTTP/1.1 200']);
  });

  test('finds no such word in its reply when it did not wait, nor an end behind it', async () => {
    const { gateway, jobs, jobsAre } = await startWithJobs();
    await using _stop = gateway;
    await using client = await RawClient.connect(gateway.port);
    client.send(completionBytes(gateway.key), asking(gateway), body, completionBytes(gateway.key));
    await jobsAre(3);
    for (const job of jobs.slice(1)) politeWorker(job);
    await waitUntil(() => gateway.dispatcher.running === 1, { what: 'the later answers' });
    for (const job of jobs.slice(0, 1)) politeWorker(job);
    const whole = () => client.received.match(/Hello.*}/g)?.length === 3;
    await waitUntil(whole, { what: 'every reply' });
    expect(statusLines(client.received)).toEqual(Array(3).fill('HTTP/1.1 200'));
  });
});

describe('requests on one connection while the process stops', () => {
  test('come to nothing behind the last one that is answered', async () => {
    await using gateway = await InMemoryGateway.start();
    gateway.drain.enter('announcing');
    await using client = await RawClient.connect(gateway.port);
    client.send(completionBytes(gateway.key).repeat(3));
    expect(statusLines(await client.isClosed())).toEqual(['HTTP/1.1 200']);
    expect(gateway.limiter.admissions).toHaveLength(1);
    expect(gateway.outcomes).toMatchObject([{ outcome: 'completed' }]);
  });

  test('come to nothing when they waited for those before them', async () => {
    const jobs: FakeJob[] = [];
    await using gateway = await InMemoryGateway.start({ worker: (job) => void jobs.push(job) });
    await using client = await RawClient.connect(gateway.port);
    client.send(completionBytes(gateway.key).repeat(40));
    await waitUntil(() => jobs.length === 32, { what: 'the first jobs' });
    gateway.drain.enter('announcing');
    for (const job of jobs) politeWorker(job);
    await waitUntil(() => jobs.length === 33, { what: 'the last job' });
    for (const job of jobs.slice(32)) politeWorker(job);
    expect(statusLines(await client.isClosed())).toHaveLength(33);
    expect(gateway.limiter.admissions).toHaveLength(33);
  });

  test('are all told when they are given up', async () => {
    const jobs: FakeJob[] = [];
    await using gateway = await InMemoryGateway.start({ worker: (job) => void jobs.push(job) });
    await using client = await RawClient.connect(gateway.port);
    client.send(completionBytes(gateway.key).repeat(3));
    await waitUntil(() => jobs.length === 3, { what: 'the jobs' });
    gateway.app.connections.abandonAll(new ServiceError('service_unavailable', 'No more.'));
    const text = await client.isClosed();
    expect(statusLines(text)).toEqual(Array(3).fill('HTTP/1.1 503'));
    expect(text.match(/^connection: \S+/gim)).toEqual([
      'Connection: keep-alive',
      'Connection: keep-alive',
      'connection: close',
    ]);
  });

  test('are told when their body breaks, as ever', async () => {
    await using gateway = await InMemoryGateway.start();
    gateway.drain.enter('announcing');
    await using client = await RawClient.connect(gateway.port);
    client.send(completionHead(gateway.key, 'transfer-encoding: chunked'), '1\r\n{\r\nzz\r\n');
    const reply = await client.reply();
    expect([reply.status, reply.headers['connection']]).toEqual([400, 'close']);
    expect(statusLines(await client.isClosed())).toEqual(['HTTP/1.1 400']);
  });
});
