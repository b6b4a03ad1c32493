import { useLeakCheck, useNats, waitUntil } from '@sluice/devkit';
import { PauseWitness } from '@sluice/devkit/pauses';
import { ConfigurationError, createLogger } from '@sluice/service';
import { describe, expect, test } from 'vitest';
import { readGatewaySettings } from '../src/config.ts';
import { start } from '../src/start.ts';
import { completionBytes } from './completion-request.ts';
import { contentOf } from './event-stream-reader.ts';
import { GatewayWithNeighbours } from './gateway-with-neighbours.ts';
import { RawClient } from './raw-client.ts';
import { accepted, delta, finished, started, usage } from './worker-frames.ts';

useLeakCheck();
const nats = useNats();
const fragile = useNats({ own: true });

describe('a gateway with its neighbours', () => {
  test('is ready and serves once it has reached all of them', async () => {
    await using parts = await GatewayWithNeighbours.start(nats.url);
    await waitUntil(() => parts.gateway.readiness().ready, { what: 'the gateway to be ready' });
    parts.onJob = (job) =>
      job.send(accepted(), started(), delta({ content: 'Hi' }), usage(), finished());
    const reply = await parts.complete({ stream: true });
    expect(reply.status).toBe(200);
    expect(contentOf(await reply.text())).toBe('Hi');
    expect(parts.jobs[0]?.header).toMatchObject({ organization: 'acme', runtime_model: 'large' });
  });

  test('logs unreadable heartbeats, but not each of them', async () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const logger = createLogger({ service: 'gateway', level: 'info', destination });
    await using parts = await GatewayWithNeighbours.start(nats.url, {}, logger);
    await waitUntil(() => parts.gateway.readiness().ready, { what: 'the gateway to be ready' });
    const subject = parts.subjects.fleet('default');
    for (const text of ['{', '{}', 'null']) parts.bus.publish(subject, Buffer.from(text));
    // The frames of this job arrive after the heartbeats, which came on the same connection.
    parts.onJob = (job) =>
      job.send(accepted(), started(), delta({ content: 'Hi' }), usage(), finished());
    await (await parts.complete({ stream: true })).text();
    expect(lines.filter((line) => line.includes('a heartbeat could not be read'))).toHaveLength(1);
  });

  test('takes its root path and the name of its retention header from its settings', async () => {
    await using parts = await GatewayWithNeighbours.start(nats.url, {
      API_ROOT: '/acme/api/v1',
      RETENTION_HEADER: 'acme-data-retention',
    });
    const headers = { authorization: `Bearer ${parts.key}` };
    const reply = await waitUntil(
      async () => {
        const tried = await fetch(`${parts.gateway.url}/acme/api/v1/models`, { headers });
        return tried.status === 200 && tried;
      },
      { what: 'the gateway to serve' },
    );
    expect(reply.headers.get('acme-data-retention')).toMatch(/^(?:zero|standard|contributor)$/);
    expect(reply.headers.get('access-control-expose-headers')).toContain('acme-data-retention');
    expect([...reply.headers.keys()].join()).not.toContain('service-data-retention');
    expect((await fetch(`${parts.gateway.url}/compat/v1/models`, { headers })).status).toBe(404);
    const document = await (await fetch(`${parts.gateway.url}/openapi.json`)).text();
    expect(document).toContain('/acme/api/v1');
    expect(document).toContain('acme-data-retention');
    expect(document).not.toMatch(/compat\/v1|service-data-retention/);
  });

  test('stays ready if a neighbour is lost, and reports it', async () => {
    await using parts = await GatewayWithNeighbours.start(nats.url);
    await waitUntil(() => parts.gateway.readiness().ready, { what: 'the gateway to be ready' });
    await parts.quota[Symbol.asyncDispose]();
    await waitUntil(
      () => !JSON.stringify(parts.gateway.readiness().details['quota']).includes('"up"'),
      { what: 'the loss of quota to be seen' },
    );
    expect(parts.gateway.readiness().ready).toBe(true);
    const reply = await parts.request('/models');
    expect(reply.status).toBe(503);
    expect(await reply.text()).toContain('rate_limit_unavailable');
  });

  test('answers within 200 ms with its own settings if quota does not answer', async () => {
    await using parts = await GatewayWithNeighbours.start(nats.url);
    await waitUntil(async () => (await parts.request('/models')).status === 200, {
      what: 'the gateway to serve',
    });
    parts.onAdmit = () => new Promise(() => undefined);
    await using witness = await PauseWitness.start();
    let fastestMs = Infinity;
    let late = 0;
    for (let time = 0; time < 4; time += 1) {
      const since = performance.now();
      const reply = await parts.request('/models');
      const repliedAt = performance.now();
      expect(reply.status).toBe(503);
      const pausedMs = witness.look().pausedMs(since, repliedAt);
      if (repliedAt - since - pausedMs >= 200) late += 1;
      fastestMs = Math.min(fastestMs, repliedAt - since);
    }
    // The detector misses some pauses of the machine.
    expect(late).toBeLessThanOrEqual(1);
    // A subtracted pause may not have delayed that reply, so at least one reply has to be fast without subtraction.
    expect(fastestMs).toBeLessThan(200);
  });

  test('asks the catalog once, and again for the revision of a change', async () => {
    await using parts = await GatewayWithNeighbours.start(nats.url);
    await waitUntil(() => parts.gateway.readiness().ready, { what: 'the gateway to be ready' });
    await parts.request('/models');
    await parts.request('/models');
    expect(parts.asked.credential).toBe(1);
    parts.principal = null;
    parts.sequence = 5;
    parts.bus.publish(
      parts.subjects.catalogChanged(),
      Buffer.from(JSON.stringify({ epoch: 1, sequence: 5 })),
    );
    await waitUntil(async () => (await parts.request('/models')).status === 401, {
      what: 'the revoked key to be refused',
    });
    expect(parts.asked.atLeast.at(-1)).toBe(5);
  });

  test('publishes its lease at an interval', async () => {
    await using parts = await GatewayWithNeighbours.start(nats.url);
    const leases: string[] = [];
    parts.bus.subscribe(parts.subjects.leases(), ({ data }) => {
      leases.push(Buffer.from(data).toString('utf8'));
    });
    await waitUntil(() => leases.length >= 2, { what: 'two leases' });
    expect(new Set(leases).size).toBe(1);
  });
});

describe('a stop', () => {
  test('lets open streams finish, closes connections and refuses new requests', async () => {
    const parts = await GatewayWithNeighbours.start(nats.url, { DRAIN_ANNOUNCE_MS: '500' });
    await waitUntil(() => parts.gateway.readiness().ready, { what: 'the gateway to be ready' });
    parts.onJob = (job) => job.send(accepted(), started(), delta({ content: 'first' }));
    const stream = await parts.complete({ stream: true });
    const stopping = parts[Symbol.asyncDispose]();
    expect(parts.gateway.readiness().ready).toBe(false);
    const during = await parts.request('/models');
    expect([during.status, during.headers.get('connection')]).toEqual([200, 'close']);
    const isRefused = async () => {
      try {
        await parts.request('/models');
        return false;
      } catch {
        return true;
      }
    };
    await waitUntil(isRefused, { what: 'the listener to close' });
    parts.jobs[0]?.send(delta({ content: ' last' }), finished());
    const text = await stream.text();
    expect(contentOf(text)).toBe('first last');
    expect(text).toContain('[DONE]');
    await stopping;
  });

  test('closes connections whose requests arrived before it', async () => {
    const parts = await GatewayWithNeighbours.start(nats.url);
    parts.onJob = (job) => job.send(accepted(), started(), delta({ content: 'first' }));
    await waitUntil(() => parts.gateway.readiness().ready, { what: 'the gateway to be ready' });
    const replying = parts.complete({ stream: false });
    await waitUntil(() => parts.jobs.length === 1, { what: 'the job' });
    const stopping = parts[Symbol.asyncDispose]();
    parts.jobs[0]?.send(delta({ content: ' last' }), finished());
    const reply = await replying;
    expect([reply.status, reply.headers.get('connection')]).toEqual([200, 'close']);
    await reply.text();
    await stopping;
  });

  test('breaks streams that do not finish in time and cancels their jobs', async () => {
    const parts = await GatewayWithNeighbours.start(nats.url, { DRAIN_LIMIT_MS: '50' });
    parts.onJob = (job) => job.send(accepted(), started(), delta({ content: 'first' }));
    await waitUntil(() => parts.gateway.readiness().ready, { what: 'the gateway to be ready' });
    const stream = await parts.complete({ stream: true });
    await parts[Symbol.asyncDispose]();
    await expect(stream.text()).rejects.toThrow('terminated');
    expect(parts.worker.cancels).toEqual([parts.jobs[0]?.name]);
  });

  test('sends an error to every client that it does not serve to the end', async () => {
    const parts = await GatewayWithNeighbours.start(nats.url, { DRAIN_LIMIT_MS: '50' });
    parts.onJob = (job) => {
      job.send(accepted(), started());
      if (job.header.stream) job.send(delta({ content: 'first' }));
    };
    await waitUntil(() => parts.gateway.readiness().ready, { what: 'the gateway to be ready' });
    const port = Number(new URL(parts.gateway.url).port);
    await using streamed = await RawClient.connect(port);
    await using old = await RawClient.connect(port);
    await using whole = await RawClient.connect(port);
    const reset = new Promise((resolve) => old.socket.once('error', resolve));
    streamed.send(completionBytes(parts.key, { stream: true }));
    old.send(completionBytes(parts.key, { stream: true }, '1.0'));
    whole.send(completionBytes(parts.key, { stream: false }));
    await streamed.waitFor('"first"');
    await old.waitFor('"first"');
    await waitUntil(() => parts.jobs.length === 3, { what: 'the third job' });
    await parts[Symbol.asyncDispose]();
    const text = await streamed.waitForClose();
    expect(text).toContain('data: {"error":{"message":"The server is shutting down.');
    expect(text).not.toContain('\r\n0\r\n\r\n');
    const reply = await whole.reply();
    expect([reply.status, reply.headers['connection']]).toEqual([503, 'close']);
    expect(reply.body).toContain('service_unavailable');
    expect(await reset).toMatchObject({ code: 'ECONNRESET' });
    expect(old.received).toContain('data: {"error":{"message":"The server is shutting down.');
  });
});

describe('a lost bus', () => {
  test('fails streams that have begun, retries jobs that have not, and refuses new requests', async () => {
    await using parts = await GatewayWithNeighbours.start(fragile.url);
    await waitUntil(() => parts.gateway.readiness().ready, { what: 'the gateway to be ready' });
    parts.onJob = (job) => {
      if (parts.jobs.length === 1) job.send(accepted(), started(), delta({ content: 'half' }));
      else if (parts.jobs.length === 2) job.send(accepted());
      else job.send(accepted(), started(), delta({ content: 'whole' }), finished());
    };
    const begun = await parts.complete({ stream: true });
    const waiting = parts.complete({ stream: true });
    await waitUntil(() => parts.jobs.length === 2, { what: 'the second job' });
    await fragile.kill();
    await expect(begun.text()).rejects.toThrow('terminated');
    const refused = await parts.complete();
    expect(refused.status).toBe(503);
    expect(await refused.text()).toContain('service_unavailable');
    await fragile.restart();
    expect(contentOf(await (await waiting).text())).toBe('whole');
    await waitUntil(() => parts.worker.cancels.length >= 2, { what: 'both cancels' });
  });
});

test('a body limit that the bus cannot carry fails the start with a clear message', async () => {
  const settings = readGatewaySettings({
    NATS_URL: nats.url,
    QUOTA_ADDRESSES: '127.0.0.1:1',
    CATALOG_ADDRESSES: '127.0.0.1:1',
    BODY_LIMIT_BYTES: String(64 * 1024 * 1024),
  });
  const starting = start(settings, createLogger({ service: 'test', level: 'silent' }));
  await expect(starting).rejects.toThrow(ConfigurationError);
  await expect(starting).rejects.toThrow('raise its max_payload or lower BODY_LIMIT_BYTES');
});

test('a client that disconnects mid-stream cancels its job within a second', async () => {
  await using parts = await GatewayWithNeighbours.start(nats.url);
  await waitUntil(() => parts.gateway.readiness().ready, { what: 'the gateway to be ready' });
  parts.onJob = (job) => job.send(accepted(), started(), delta({ content: 'x' }));
  await using client = await RawClient.connect(Number(new URL(parts.gateway.url).port));
  client.send(completionBytes(parts.key, { stream: true }));
  await client.waitFor('"content":"x"');
  client.socket.destroy();
  await waitUntil(() => parts.worker.cancels.length === 1, {
    what: 'the cancel',
    timeoutMs: 1_000,
  });
  expect(parts.worker.cancels).toEqual([parts.jobs[0]?.name]);
});
