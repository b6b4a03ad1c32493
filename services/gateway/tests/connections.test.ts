import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { ServiceError } from '@sluice/contracts';
import { useLeakCheck, waitUntil } from '@sluice/testkit';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { API_ROOT, REQUEST, completionBytes, completionHead } from './completion-request.ts';
import type { FakeJob } from './fake-workers.ts';
import { InMemoryGateway } from './in-memory-gateway.ts';
import { RawClient } from './raw-client.ts';
import { accepted, delta, failed, finished, started, usage } from './worker-frames.ts';

useLeakCheck();

function statusLines(text: string): string[] {
  return text.match(/HTTP\/1\.1 \d+/g) ?? [];
}

/** By the server's own count: a client with an open half of its own does not see the end of the other. */
async function nobodyIsConnected({ app }: InMemoryGateway): Promise<void> {
  const { server } = app.fastify;
  const count = () =>
    new Promise<number>((resolve, reject) =>
      server.getConnections((error, open) => (error === null ? resolve(open) : reject(error))),
    );
  await waitUntil(async () => (await count()) === 0, { what: 'the connection to go' });
}

function answer(job: FakeJob): void {
  job.send(accepted(), started());
  job.send(delta({ role: 'assistant', content: 'Hello', refusal: null }), usage(), finished());
}

describe('a reply that comes before the whole request', () => {
  test.each([
    ['breaks', 'zz\r\n'],
    ['ends and is followed by another request', `0\r\n\r\nGET / HTTP/1.1\r\nhost: a\r\n\r\n`],
    ['is cut short', undefined],
  ])('is the only one when the rest %s', async (_case, rest) => {
    await using gateway = await InMemoryGateway.start();
    await using client = await RawClient.connect(gateway.port, { allowHalfOpen: true });
    client.send(completionHead('nobody', 'transfer-encoding: chunked'), '1\r\n{\r\n');
    const reply = await client.reply();
    expect([reply.status, reply.headers['connection']]).toEqual([401, 'close']);
    if (rest === undefined) client.socket.end();
    else client.send(rest);
    await nobodyIsConnected(gateway);
    expect(statusLines(client.received)).toEqual(['HTTP/1.1 401']);
  });

  test('waits for a client that is still sending the rest, and not for one that has stopped', async () => {
    await using gateway = await InMemoryGateway.start();
    const connected = once(gateway.app.fastify.server, 'connection') as Promise<[Socket]>;
    await using client = await RawClient.connect(gateway.port, { allowHalfOpen: true });
    const [socket] = await connected;
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    client.send(completionHead('nobody', 'content-length: 9'), '{');
    expect((await client.reply()).status).toBe(401);
    for (let sent = 1; sent <= 3; sent += 1) {
      const read = socket.bytesRead;
      client.send(' ');
      await waitUntil(() => socket.bytesRead > read, { what: 'more of the body' });
      vi.advanceTimersByTime(2_000);
      expect(socket.destroyed).toBe(false);
    }
    vi.advanceTimersByTime(2_000);
    expect(socket.destroyed).toBe(true);
  });

  test('can be read by a client that goes on sending behind the rest', async () => {
    const log: string[] = [];
    await using gateway = await InMemoryGateway.start({ log: (line) => void log.push(line) });
    let received = '';
    const take = (size: number, buffer: Uint8Array) => {
      received += Buffer.from(buffer.subarray(0, size)).toString('latin1');
      return true;
    };
    // With a buffer of its own a paused socket reads nothing at all, as a client that is busy sending.
    const onread = { buffer: new Uint8Array(4_096), callback: take };
    await using socket = connect({ port: gateway.port, host: '127.0.0.1', onread });
    socket.on('error', () => undefined).pause();
    socket.write(`${completionHead('nobody', 'content-length: 2')}{`);
    await waitUntil(() => log.some((line) => line.includes('401')), { what: 'the reply' });
    socket.write('}');
    let more = 25;
    const sendMore = () => {
      if (socket.writable) socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
      more -= 1;
      return more === 0;
    };
    await waitUntil(sendMore, { what: 'all to be sent' });
    socket.resume();
    await waitUntil(() => socket.closed, { what: 'the end' });
    expect(statusLines(received)).toEqual(['HTTP/1.1 401']);
  });

  test('is the only one when the rest never comes, and is not waited for long', async () => {
    await using gateway = await InMemoryGateway.start({
      settings: { HEADERS_TIMEOUT_MS: 50, REQUEST_TIMEOUT_MS: 100 },
    });
    await using client = await RawClient.connect(gateway.port, { allowHalfOpen: true });
    client.send(
      `GET ${API_ROOT}/models HTTP/1.1\r\nhost: a\r\nauthorization: ${gateway.authorization}\r\n` +
        'content-length: 100\r\n\r\n',
    );
    expect((await client.reply()).status).toBe(200);
    await nobodyIsConnected(gateway);
    expect(statusLines(client.received)).toEqual(['HTTP/1.1 200']);
  });
});

describe('bytes after a request that are none', () => {
  test('leave it its answer, the last on the connection', async () => {
    const jobs: FakeJob[] = [];
    await using gateway = await InMemoryGateway.start({ worker: (job) => void jobs.push(job) });
    await using client = await RawClient.connect(gateway.port);
    client.send(`${completionBytes(gateway.key)}NO REQUEST\r\n\r\n`);
    await waitUntil(() => jobs.length === 1, { what: 'the job' });
    client.send('STILL NONE\r\n\r\n');
    for (const job of jobs) answer(job);
    const reply = await client.reply();
    expect([reply.status, reply.headers['connection']]).toEqual([200, 'close']);
    expect(reply.body).toContain('Hello');
    expect(statusLines(await client.isClosed())).toEqual(['HTTP/1.1 200']);
  });

  test('cut a reply that is under way', async () => {
    await using gateway = await InMemoryGateway.start({
      worker: (job) => job.send(accepted(), started(), delta({ content: 'half' })),
    });
    await using client = await RawClient.connect(gateway.port);
    client.send(completionBytes(gateway.key, { stream: true }));
    await client.receives('half');
    client.send('NO REQUEST\r\n\r\n');
    expect(statusLines(await client.isClosed())).toEqual(['HTTP/1.1 200']);
  });
});

test('requests on one connection are worked on a few at a time, and all answered', async () => {
  const jobs: FakeJob[] = [];
  let answering = false;
  await using gateway = await InMemoryGateway.start({
    worker: (job) => {
      jobs.push(job);
      if (answering) answer(job);
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
  for (const job of jobs) answer(job);
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
      answer(job);
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
    for (const job of jobs) answer(job);
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
    for (const job of jobs) answer(job);
    await client.receives('HTTP/1.1 100');
    client.send(body);
    await jobsAre(2);
    for (const job of jobs.slice(1)) answer(job);
    await waitUntil(() => statusLines(client.received).length === 3, { what: 'the last reply' });
    expect(statusLines(client.received)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 100', 'HTTP/1.1 200']);
  });

  test('finds no such word in its reply when it did not wait, nor an end behind it', async () => {
    const { gateway, jobs, jobsAre } = await startWithJobs();
    await using _stop = gateway;
    await using client = await RawClient.connect(gateway.port);
    client.send(completionBytes(gateway.key), asking(gateway), body, completionBytes(gateway.key));
    await jobsAre(3);
    for (const job of jobs.slice(1)) answer(job);
    await waitUntil(() => gateway.dispatcher.running === 1, { what: 'the later answers' });
    for (const job of jobs.slice(0, 1)) answer(job);
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
    for (const job of jobs) answer(job);
    await waitUntil(() => jobs.length === 33, { what: 'the last job' });
    for (const job of jobs.slice(32)) answer(job);
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

describe('the log', () => {
  interface LogLine {
    readonly level: number | string;
    readonly msg: string;
    readonly request?: string;
    readonly status?: number;
    readonly code?: string;
  }

  async function startLogged(worker?: (job: FakeJob) => void) {
    const lines: LogLine[] = [];
    const gateway = await InMemoryGateway.start({
      log: (line) => void lines.push(JSON.parse(line) as LogLine),
      ...(worker === undefined ? {} : { worker }),
    });
    const line = () => waitUntil(() => lines.find(({ msg }) => msg === 'request'), { what: 'it' });
    return { gateway, lines, line };
  }

  test('tells what a stream broke by, beside the status it had', async () => {
    const { gateway, line } = await startLogged((job) =>
      job.send(accepted(), delta({ content: 'half' }), failed('upstream_unavailable', false)),
    );
    await using _stop = gateway;
    const reply = await gateway.complete({ stream: true });
    await expect(reply.text()).rejects.toThrow('terminated');
    expect(await line()).toMatchObject({ status: 200, code: 'upstream_unavailable' });
  });

  test.each([
    ['that cannot be read', () => 'MARMALADE\r\n\r\n'],
    [
      'whose body breaks',
      (gateway: InMemoryGateway) =>
        `${completionHead(gateway.key, 'transfer-encoding: chunked')}marmalade\r\n`,
    ],
  ])('has one line, of no alarm and no content, for a request %s', async (_case, bytes) => {
    const { gateway, lines, line } = await startLogged();
    await using _stop = gateway;
    await using client = await RawClient.connect(gateway.port);
    client.send(bytes(gateway));
    const reply = await client.reply();
    await client.isClosed();
    expect(await line()).toMatchObject({
      request: reply.headers['x-request-id'],
      status: 400,
      code: 'malformed_request',
    });
    const own = lines.filter(({ request }) => request !== undefined);
    expect(own).toHaveLength(1);
    expect(JSON.stringify(lines).toLowerCase()).not.toContain('marmalade');
  });
});
