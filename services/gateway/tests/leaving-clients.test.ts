import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import type { AdmissionDecision, AdmissionRequest } from '@sluice/contracts';
import { cannotRun, useLeakCheck, waitUntil } from '@sluice/devkit';
import { describe, expect, test } from 'vitest';
import { completionBytes, completionHead } from './completion-request.ts';
import { MODEL } from './fake-catalog.ts';
import type { FakeJob } from './fake-workers.ts';
import { InMemoryGateway } from './in-memory-gateway.ts';
import { RawClient } from './raw-client.ts';
import { accepted, delta, finished, started } from './worker-frames.ts';

useLeakCheck();

describe('a client that disconnects', () => {
  const moments: [string, FakeJob['send'] extends (...frames: infer F) => void ? F : never][] = [
    ['waits for a worker', []],
    ['waits for a slot', [accepted()]],
    ['waits for the first delta', [accepted(), started()]],
    ['is mid-stream', [accepted(), started(), delta({ content: 'a' })]],
  ];
  for (const stream of [true, false]) {
    test.each(moments)(
      `cancels its job when it ${stream ? '(streaming) ' : ''}%s`,
      async (_moment, frames) => {
        let job: FakeJob | undefined;
        await using gateway = await InMemoryGateway.start({
          worker: (taken) => {
            job = taken;
            if (frames.length > 0) taken.send(...frames);
          },
        });
        await using client = await RawClient.connect(gateway.port);
        client.send(completionBytes(gateway.key, { stream }));
        await waitUntil(() => job, { what: 'the job' });
        if (stream && frames.length === 3) await client.waitFor('"content":"a"');
        client.socket.destroy();
        await waitUntil(() => job?.cancelled, { what: 'the cancel', timeoutMs: 1_000 });
        await waitUntil(() => gateway.dispatcher.running === 0, { what: 'nothing to be left' });
        expect(gateway.app.openRequests.requestCount).toBe(0);
      },
    );
  }

  test('in the middle of its next request cancels the job of the one before', async () => {
    let job: FakeJob | undefined;
    await using gateway = await InMemoryGateway.start({ worker: (taken) => void (job = taken) });
    await using client = await RawClient.connect(gateway.port);
    client.send(completionBytes(gateway.key));
    await waitUntil(() => job, { what: 'the job' });
    client.send(
      completionHead(gateway.key, 'transfer-encoding: chunked'),
      '7d0\r\n',
      'x'.repeat(2_000),
    );
    // By the end of another client's request, everything that was sent has arrived.
    expect((await gateway.request('/models')).status).toBe(200);
    client.socket.end();
    await waitUntil(() => job?.cancelled, { what: 'the cancel' });
    await waitUntil(() => gateway.app.openRequests.requestCount === 0, {
      what: 'the request to end',
    });
  });

  test('while its credential is looked up is charged like any other, and gets no job', async () => {
    await using gateway = await InMemoryGateway.start();
    const { resolveCredential } = gateway.catalog;
    const lookUp = Promise.withResolvers<void>();
    let asked = false;
    gateway.catalog.resolveCredential = async (...question) => {
      asked = true;
      await lookUp.promise;
      return resolveCredential(...question);
    };
    await using client = await RawClient.connect(gateway.port);
    client.send(completionBytes(gateway.key));
    await waitUntil(() => asked, { what: 'the lookup' });
    client.socket.destroy();
    await waitUntil(() => gateway.app.openRequests.requestCount === 0, {
      what: 'the request to end',
    });
    lookUp.resolve();
    await waitUntil(() => gateway.limiter.admissions.length > 0, { what: 'the admission' });
    expect(gateway.limiter.admissions).toMatchObject([{ tokens: 0 }]);
    expect([gateway.sender.offers, gateway.dispatcher.running]).toEqual([[], 0]);
  });

  test('while the limiter decides gets no job', async () => {
    await using gateway = await InMemoryGateway.start();
    const decided = Promise.withResolvers<AdmissionDecision>();
    let asked = false;
    gateway.limiter.admit = () => {
      asked = true;
      return decided.promise;
    };
    await using client = await RawClient.connect(gateway.port);
    client.send(completionBytes(gateway.key, { stream: true }));
    await waitUntil(() => asked, { what: 'the admission' });
    client.socket.destroy();
    await waitUntil(() => gateway.app.openRequests.requestCount === 0, {
      what: 'the request to end',
    });
    decided.resolve(gateway.limiter.decide({} as AdmissionRequest));
    await new Promise((resolve) => setImmediate(resolve));
    expect([gateway.sender.offers, gateway.dispatcher.running]).toEqual([[], 0]);
  });

  test('cancels its job, and its waiting requests never start', async () => {
    const jobs: FakeJob[] = [];
    await using gateway = await InMemoryGateway.start({ worker: (job) => void jobs.push(job) });
    await using client = await RawClient.connect(gateway.port);
    client.send(completionBytes(gateway.key).repeat(9));
    await waitUntil(() => jobs.length === 1, { what: 'the first job' });
    client.socket.destroy();
    const areCancelled = () => jobs.every(({ cancelled }) => cancelled);
    await waitUntil(areCancelled, { what: 'the cancel', timeoutMs: 1_000 });
    // By the end of another client's request, further requests would have begun.
    expect((await gateway.request('/models')).status).toBe(200);
    expect(jobs).toHaveLength(1);
    expect(gateway.sender.cancelled).toHaveLength(1);
  });
});

const ESTABLISHED = '01';
const KEEPALIVE_TIMER = '02';

/** Time in hundredths of a second. */
const CLIENT_SILENCE = 1_000;

/**
 * The timer that Linux has set for the connection of a client, and when it is due:
 * https://docs.kernel.org/networking/proc_net_tcp.html
 */
async function kernelTimer({ port }: InMemoryGateway): Promise<{ kind: string; due: number }> {
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = (await readFile('/proc/self/net/tcp', 'utf8')).split('\n');
  const cells = rows.map((row) => row.trim().split(/\s+/));
  const open = cells.find(([, from, , state]) => from === local && state === ESTABLISHED);
  const [kind = '', due = ''] = open?.[5]?.split(':') ?? [];
  return { kind, due: Number.parseInt(due, 16) };
}

const noTable = process.platform === 'linux' ? undefined : 'only Linux shows its TCP timers';

describe.skipIf(cannotRun('clients that vanish', noTable))('a client that vanishes', () => {
  test('silently while it waits is detected by TCP keepalive', async () => {
    let job: FakeJob | undefined;
    await using gateway = await InMemoryGateway.start({ worker: (taken) => void (job = taken) });
    await using client = await RawClient.connect(gateway.port);
    client.send(completionBytes(gateway.key));
    await waitUntil(() => job, { what: 'the job' });
    const isWatched = async () => (await kernelTimer(gateway)).kind === KEEPALIVE_TIMER;
    await waitUntil(isWatched, { what: 'the timer' });
    expect((await kernelTimer(gateway)).due).toBeLessThanOrEqual(CLIENT_SILENCE);
  });
});

describe('a client that reads', () => {
  test('is not disconnected if a single write exceeds the limit for unread bytes', async () => {
    const length = 8_000_000;
    let unread: number | undefined;
    let socket: Socket | undefined;
    await using gateway = await InMemoryGateway.start({
      settings: { STREAM_BUFFER_BYTES: 65_536 },
      worker: ({ send }) => {
        send(accepted(), started(), delta({ content: 'x'.repeat(length) }));
        // Each is sent in a separate turn, before the client can have read all of the first one.
        setImmediate(() => {
          send(delta({ content: 'more' }));
          setImmediate(() => {
            unread = socket?.writableLength;
            send(finished());
          });
        });
      },
    });
    gateway.app.fastify.server.once('connection', (accepting: Socket) => (socket = accepting));
    const reply = await gateway.complete({ stream: true });
    // Reading a broken connection would fail.
    const text = await reply.text();
    expect(text.length).toBeGreaterThan(length);
    expect(text.slice(-20).trimEnd().endsWith('data: [DONE]')).toBe(true);
    expect(unread).toBeGreaterThan(65_536);
  });
});

describe('a client that does not read', () => {
  test('keeps the buffered bytes below the limit while 10,000 tokens arrive', async () => {
    const tokens = 10_000;
    const bufferBytes = 65_536;
    // Large events, because the operating system would buffer all of the small ones.
    const model = { ...MODEL, id: '🚰'.repeat(256) };
    const mostEventBytes = 2_000;
    const taken = Promise.withResolvers<FakeJob>();
    await using gateway = await InMemoryGateway.start({
      settings: { STREAM_BUFFER_BYTES: bufferBytes },
      models: [model],
      worker: taken.resolve,
    });
    let socket: Socket | undefined;
    gateway.app.fastify.server.once('connection', (accepting: Socket) => (socket = accepting));
    await using client = await RawClient.connect(gateway.port);
    client.socket.pause();
    client.send(completionBytes(gateway.key, { stream: true, model: model.id }));
    const job = await taken.promise;
    job.send(accepted(), started());
    let most = 0;
    for (let sent = 0; sent < tokens && !job.cancelled; sent += 1) {
      job.send(delta({ content: 'x' }));
      await new Promise((resolve) => setImmediate(resolve));
      most = Math.max(most, socket?.writableLength ?? 0);
    }
    expect(job.cancelled).toBe(true);
    expect(socket?.destroyed).toBe(true);
    expect(most).toBeGreaterThan(bufferBytes - mostEventBytes);
    expect(most).toBeLessThanOrEqual(bufferBytes + mostEventBytes);
    expect(gateway.sender.cancelled).toHaveLength(1);
    const [outcome] = await waitUntil(() => gateway.outcomes.length > 0 && gateway.outcomes, {
      what: 'the outcome',
    });
    expect(outcome?.outcome).toBe('cancelled');
    expect(outcome?.delivered_tokens).toBeLessThan(tokens);
  });

  test('gets no higher limit after it has read a large write', async () => {
    const bufferBytes = 65_536;
    const burst = 'x'.repeat(1_000_000);
    const taken = Promise.withResolvers<FakeJob>();
    await using gateway = await InMemoryGateway.start({
      settings: { STREAM_BUFFER_BYTES: bufferBytes },
      worker: taken.resolve,
    });
    let socket: Socket | undefined;
    gateway.app.fastify.server.once('connection', (accepting: Socket) => (socket = accepting));
    await using client = await RawClient.connect(gateway.port);
    client.send(completionBytes(gateway.key, { stream: true }));
    const job = await taken.promise;
    job.send(accepted(), started(), delta({ content: burst }));
    await client.waitFor(`${burst.slice(0, 100)}"`);
    await waitUntil(() => socket?.writableLength === 0, { what: 'everything to be sent' });
    client.socket.pause();
    const content = 'x'.repeat(10_000);
    let most = 0;
    for (let sent = 0; sent < 2_000 && !job.cancelled; sent += 1) {
      job.send(delta({ content }));
      await new Promise((resolve) => setImmediate(resolve));
      most = Math.max(most, socket?.writableLength ?? 0);
    }
    expect(job.cancelled).toBe(true);
    expect(most).toBeLessThanOrEqual(bufferBytes + 2 * content.length);
  });

  test('is disconnected above the limit for unread bytes, and its job is cancelled', async () => {
    let job: FakeJob | undefined;
    await using gateway = await InMemoryGateway.start({
      settings: { STREAM_BUFFER_BYTES: 65_536 },
      worker: (taken) => {
        job = taken;
        taken.send(accepted(), started());
      },
    });
    await using client = await RawClient.connect(gateway.port);
    client.socket.pause();
    client.send(completionBytes(gateway.key, { stream: true }));
    await waitUntil(() => job, { what: 'the job' });
    const content = 'x'.repeat(4_000);
    await waitUntil(
      () => {
        if (job?.cancelled === true) return true;
        for (let count = 0; count < 100; count += 1) job?.send(delta({ content }));
        return false;
      },
      { what: 'the cancel' },
    );
    await waitUntil(() => gateway.app.openRequests.requestCount === 0, {
      what: 'nothing to be left',
    });
    expect(gateway.sender.cancelled).toHaveLength(1);
  });
});
