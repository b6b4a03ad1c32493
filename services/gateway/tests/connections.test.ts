import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { useLeakCheck, waitUntil } from '@sluice/devkit';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { API_ROOT, completionBytes, completionHead } from './completion-request.ts';
import { helloWorker, type FakeJob } from './fake-workers.ts';
import { InMemoryGateway } from './in-memory-gateway.ts';
import { RawClient, statusLines } from './raw-client.ts';
import { accepted, delta, failed, started } from './worker-frames.ts';

useLeakCheck();

/** Waits until the server has no connections. It counts there, because a half-open client does not notice a close. */
async function waitUntilDisconnected({ app }: InMemoryGateway): Promise<void> {
  const { server } = app.fastify;
  const count = () =>
    new Promise<number>((resolve, reject) =>
      server.getConnections((error, open) => (error === null ? resolve(open) : reject(error))),
    );
  await waitUntil(async () => (await count()) === 0, { what: 'the connection to close' });
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
    await waitUntilDisconnected(gateway);
    expect(statusLines(client.received)).toEqual(['HTTP/1.1 401']);
  });

  test('waits for a client that is still sending, but not for one that has stopped', async () => {
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

  test('can be read by a client that keeps sending after the rest', async () => {
    const log: string[] = [];
    await using gateway = await InMemoryGateway.start({ log: (line) => void log.push(line) });
    let received = '';
    const take = (size: number, buffer: Uint8Array) => {
      received += Buffer.from(buffer.subarray(0, size)).toString('latin1');
      return true;
    };
    // With `onread` a paused socket reads nothing at all, like a client that is busy sending.
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
    await waitUntil(sendMore, { what: 'everything to be sent' });
    socket.resume();
    await waitUntil(() => socket.closed, { what: 'the connection to close' });
    expect(statusLines(received)).toEqual(['HTTP/1.1 401']);
  });

  test('is the only one if the rest never arrives, and the wait is short', async () => {
    await using gateway = await InMemoryGateway.start({
      settings: { HEADERS_TIMEOUT_MS: 50, REQUEST_TIMEOUT_MS: 100 },
    });
    await using client = await RawClient.connect(gateway.port, { allowHalfOpen: true });
    client.send(
      `GET ${API_ROOT}/models HTTP/1.1\r\nhost: a\r\nauthorization: ${gateway.authorization}\r\n` +
        'content-length: 100\r\n\r\n',
    );
    expect((await client.reply()).status).toBe(200);
    await waitUntilDisconnected(gateway);
    expect(statusLines(client.received)).toEqual(['HTTP/1.1 200']);
  });
});

describe('invalid bytes after a request', () => {
  test('leave the request its answer, which is the last on the connection', async () => {
    const jobs: FakeJob[] = [];
    await using gateway = await InMemoryGateway.start({ worker: (job) => void jobs.push(job) });
    await using client = await RawClient.connect(gateway.port);
    client.send(`${completionBytes(gateway.key)}NO REQUEST\r\n\r\n`);
    await waitUntil(() => jobs.length === 1, { what: 'the job' });
    client.send('STILL NONE\r\n\r\n');
    for (const job of jobs) helloWorker(job);
    const reply = await client.reply();
    expect([reply.status, reply.headers['connection']]).toEqual([200, 'close']);
    expect(reply.body).toContain('Hello');
    expect(statusLines(await client.waitForClose())).toEqual(['HTTP/1.1 200']);
  });

  test('break a reply that is in progress', async () => {
    await using gateway = await InMemoryGateway.start({
      worker: (job) => job.send(accepted(), started(), delta({ content: 'half' })),
    });
    await using client = await RawClient.connect(gateway.port);
    client.send(completionBytes(gateway.key, { stream: true }));
    await client.waitFor('half');
    client.send('NO REQUEST\r\n\r\n');
    expect(statusLines(await client.waitForClose())).toEqual(['HTTP/1.1 200']);
  });
});

test('clients that leave at the same moment, in the middle of their headers, are answered in several turns', async () => {
  const clientCount = 200;
  let turn = 0;
  let immediate = setImmediate(function next() {
    turn += 1;
    immediate = setImmediate(next);
  });
  onTestFinished(() => clearImmediate(immediate));
  const answeredIn: number[] = [];
  await using gateway = await InMemoryGateway.start({ log: () => void answeredIn.push(turn) });
  await using clients = new AsyncDisposableStack();
  const sockets: Socket[] = [];
  for (let count = 0; count < clientCount; count += 1) {
    const client = clients.use(await RawClient.connect(gateway.port, { allowHalfOpen: true }));
    sockets.push(client.socket);
  }
  for (const socket of sockets) socket.end('G');
  await waitUntil(() => answeredIn.length === clientCount, { what: 'a line for each client' });
  const perTurn = Object.values(Object.groupBy(answeredIn, String));
  expect(Math.max(...perTurn.map((lines) => lines?.length ?? 0))).toBeLessThanOrEqual(64);
  await waitUntilDisconnected(gateway);
});

describe('connections beyond the limit', () => {
  test('are closed at once until another one ends', async () => {
    await using gateway = await InMemoryGateway.start({ settings: { MAX_CONNECTIONS: 2 } });
    const request = 'GET /openapi.json HTTP/1.1\r\nhost: a\r\n\r\n';
    await using first = await RawClient.connect(gateway.port);
    await using second = await RawClient.connect(gateway.port);
    for (const client of [first, second]) {
      client.send(request);
      expect((await client.reply()).status).toBe(200);
    }
    await using third = await RawClient.connect(gateway.port);
    third.send(request);
    expect(await third.waitForClose()).toBe('');
    expect(gateway.app.openRequests.connectionCount).toBe(2);
    first.socket.destroy();
    await waitUntil(() => gateway.app.openRequests.connectionCount === 1, {
      what: 'the connection to close',
    });
    await using fourth = await RawClient.connect(gateway.port);
    fourth.send(request);
    expect((await fourth.reply()).status).toBe(200);
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
    const line = () =>
      waitUntil(() => lines.find(({ msg }) => msg === 'request'), { what: 'the line' });
    return { gateway, lines, line };
  }

  test('has the path of a request to an unknown address, without a credential in it', async () => {
    const { gateway, line } = await startLogged();
    await using _stop = gateway;
    await fetch(`${gateway.url}/v1/${gateway.key}/models?api_key=marmalade`);
    expect(await line()).toMatchObject({ route: 'unknown', path: '/v1/…/models', status: 404 });
  });

  test('names the error of a broken stream beside its status', async () => {
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
  ])('has one line without alarm or content for a request %s', async (_case, bytes) => {
    const { gateway, lines, line } = await startLogged();
    await using _stop = gateway;
    await using client = await RawClient.connect(gateway.port);
    client.send(bytes(gateway));
    const reply = await client.reply();
    await client.waitForClose();
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
