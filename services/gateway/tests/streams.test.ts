import { useLeakCheck, waitUntil } from '@sluice/devkit';
import { describe, expect, test } from 'vitest';
import { completionBytes } from './completion-request.ts';
import { chunksOf, contentOf, eventsOf } from './event-stream-reader.ts';
import { helloWorker, type FakeJob } from './fake-workers.ts';
import { InMemoryGateway } from './in-memory-gateway.ts';
import { RawClient } from './raw-client.ts';
import { USAGE, accepted, delta, failed, finished, started, usage } from './worker-frames.ts';

useLeakCheck();

const BLOCK = 64;

describe('a stream', () => {
  test('has a role chunk, the deltas, an empty delta with the reason, and the end marker', async () => {
    await using gateway = await InMemoryGateway.start();
    const reply = await gateway.complete({ stream: true });
    expect(reply.headers.get('content-type')).toContain('text/event-stream');
    // No proxy may cache or buffer the stream.
    expect(reply.headers.get('cache-control')).toBe('no-cache');
    expect(reply.headers.get('x-accel-buffering')).toBe('no');
    expect(reply.headers.get('x-ratelimit-limit-tokens')).toBe('10000');
    const text = await reply.text();
    expect(eventsOf(text).at(-1)).toBe('[DONE]');
    const chunks = chunksOf(text);
    expect(chunks.map(({ choices }) => choices[0]?.delta)).toEqual([
      { role: 'assistant' },
      { content: 'Hello' },
      { content: ' world' },
      {},
    ]);
    expect(chunks.map(({ choices }) => choices[0]?.finish_reason)).toEqual([
      null,
      null,
      null,
      'stop',
    ]);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(chunks.every((chunk) => chunk.usage === null)).toBe(true);
  });

  test('ends with a usage chunk when that is asked for', async () => {
    await using gateway = await InMemoryGateway.start();
    const reply = await gateway.complete({ stream: true, stream_options: { include_usage: true } });
    const last = chunksOf(await reply.text()).at(-1);
    expect(last).toMatchObject({ choices: [], usage: USAGE });
  });

  test('contains no usage from a worker that failed', async () => {
    let first = true;
    const worker = ({ send }: FakeJob) => {
      if (first) send(accepted(), started(), usage(), failed('upstream_unavailable', true));
      else send(accepted(), started(), delta({ content: 'Hi' }), finished());
      first = false;
    };
    await using gateway = await InMemoryGateway.start({ workers: { one: worker, two: worker } });
    const reply = await gateway.complete({ stream: true, stream_options: { include_usage: true } });
    const chunks = chunksOf(await reply.text());
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
    expect(chunks.every((chunk) => chunk.usage === null)).toBe(true);
  });

  test('pads each event to blocks with random characters', async () => {
    await using gateway = await InMemoryGateway.start();
    const text = await (await gateway.complete({ stream: true })).text();
    const events = text.split('\n\n').filter((event) => event.startsWith('data: {'));
    expect(events.length).toBeGreaterThan(1);
    for (const event of events) expect((Buffer.byteLength(event) + 2) % BLOCK).toBe(0);
    const paddings = chunksOf(text).map(({ obfuscation }) => obfuscation);
    expect(new Set(paddings).size).toBe(paddings.length);
    expect(paddings.every((padding) => /^[A-Za-z0-9_-]+$/.test(padding ?? ''))).toBe(true);
  });

  test('is not padded if the client switches padding off', async () => {
    await using gateway = await InMemoryGateway.start();
    const reply = await gateway.complete({
      stream: true,
      stream_options: { include_obfuscation: false },
    });
    const chunks = chunksOf(await reply.text());
    expect(chunks.length).toBeGreaterThan(1);
    for (const chunk of chunks) expect(chunk).not.toHaveProperty('obfuscation');
  });

  test('after another reply on the same connection is complete', async () => {
    await using gateway = await InMemoryGateway.start();
    await using client = await RawClient.connect(gateway.port);
    client.send(completionBytes(gateway.key), completionBytes(gateway.key, { stream: true }));
    const text = await client.waitFor('[DONE]');
    expect(text.indexOf('chat.completion"')).toBeLessThan(text.indexOf('chat.completion.chunk'));
    await client.waitFor('\r\n0\r\n\r\n');
  });

  test('works for an HTTP/1.0 client, which does not support chunks', async () => {
    await using gateway = await InMemoryGateway.start();
    await using client = await RawClient.connect(gateway.port);
    client.send(completionBytes(gateway.key, { stream: true }, '1.0'));
    const text = await client.waitForClose();
    expect(text.toLowerCase()).not.toContain('transfer-encoding');
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  test('leaves its connection usable for the next request', async () => {
    await using gateway = await InMemoryGateway.start();
    await using client = await RawClient.connect(gateway.port);
    client.send(completionBytes(gateway.key, { stream: true }));
    await client.waitFor('\r\n0\r\n\r\n');
    client.send(completionBytes(gateway.key));
    await client.waitFor('"chat.completion"');
    expect(client.closed).toBe(false);
  });
});

describe('streams', () => {
  test('get keepalives until they end, complete or not', async () => {
    const jobs: FakeJob[] = [];
    await using gateway = await InMemoryGateway.start({
      worker: (job) => {
        jobs.push(job);
        job.send(accepted(), started(), delta({ content: 'a' }));
      },
    });
    const leaving = new AbortController();
    const replies = [
      await gateway.complete({ stream: true }),
      await gateway.complete({ stream: true }),
      await gateway.complete({ stream: true }, { signal: leaving.signal }),
    ];
    expect(gateway.keepaliveTimer.size).toBe(3);
    jobs[0]?.send(finished());
    jobs[1]?.send(failed('upstream_unavailable', true));
    leaving.abort();
    await Promise.allSettled(replies.map((reply) => reply.text()));
    await waitUntil(() => gateway.keepaliveTimer.size === 0, { what: 'no stream to remain' });
  });
});

describe('streams on one connection', () => {
  test('a failing one leaves the one before it complete', async () => {
    const jobs: FakeJob[] = [];
    await using gateway = await InMemoryGateway.start({
      worker: (job) => {
        jobs.push(job);
        job.send(accepted(), started(), delta({ content: `begin${jobs.length}` }));
        job.send(jobs.length === 1 ? finished() : failed('upstream_unavailable', false));
      },
    });
    await using client = await RawClient.connect(gateway.port);
    client.send(
      completionBytes(gateway.key, { stream: true }),
      completionBytes(gateway.key, { stream: true }),
    );
    const text = await client.waitForClose();
    const [first = '', second = ''] = text.split('[DONE]');
    expect(first).toContain('begin1');
    expect(second).toContain('begin2');
    const error = second.indexOf('data: {"error":{"message":');
    expect(error).toBeGreaterThan(0);
    expect(second.slice(error)).not.toContain('\r\n0\r\n');
  });
});

describe('the status of a stream', () => {
  test('is not sent before the first delta, so that a failure can still be one', async () => {
    await using gateway = await InMemoryGateway.start({
      worker: ({ send }) => send(accepted(), started(), failed('context_length_exceeded', false)),
    });
    const reply = await gateway.complete({ stream: true });
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({
      error: { code: 'context_length_exceeded', param: 'messages' },
    });
  });

  test('is sent without a delta some time after the runtime accepted the request', async () => {
    const jobs: FakeJob[] = [];
    await using gateway = await InMemoryGateway.start({
      settings: { LATE_STATUS_MS: 20 },
      worker: (job) => {
        jobs.push(job);
        job.send(accepted(), started());
      },
    });
    const reply = await gateway.complete({ stream: true });
    expect(reply.status).toBe(200);
    jobs[0]?.send(delta({ content: 'late' }), finished());
    expect(contentOf(await reply.text())).toBe('late');
  });

  test('is not sent after the request has failed', async () => {
    const jobs: FakeJob[] = [];
    await using gateway = await InMemoryGateway.start({
      settings: { LATE_STATUS_MS: 20 },
      worker: (job) => {
        jobs.push(job);
        job.send(accepted(), started());
        if (jobs.length === 1) job.send(failed('context_length_exceeded', false));
      },
    });
    await using client = await RawClient.connect(gateway.port);
    client.send(completionBytes(gateway.key, { stream: true }));
    expect((await client.reply()).status).toBe(400);
    // A later stream with the same wait: once it has its status, the wait of the first is over.
    const later = await gateway.complete({ stream: true });
    jobs[1]?.send(finished());
    await later.text();
    expect(client.received.match(/^HTTP/gm)).toHaveLength(1);
  });

  test('waits again for the runtime of the worker that takes over', async () => {
    const jobs: FakeJob[] = [];
    const worker = (job: FakeJob) => {
      jobs.push(job);
      if (jobs.length === 1) job.send(accepted(), started(), failed('upstream_unavailable', true));
      else if (jobs.length === 2) job.send(accepted());
      else job.send(accepted(), started());
    };
    await using gateway = await InMemoryGateway.start({
      settings: { LATE_STATUS_MS: 100 },
      workers: { worker1: worker, worker2: worker },
    });
    const retried = gateway.complete({ stream: true });
    await waitUntil(() => jobs.length === 2, { what: 'the second worker to accept it' });
    // A later stream with the same wait: once it has its status, the wait of the first worker is over.
    const later = await gateway.complete({ stream: true });
    expect(later.status).toBe(200);
    jobs[1]?.send(started(), failed('context_length_exceeded', false));
    expect((await retried).status).toBe(400);
    jobs[2]?.send(finished());
    await later.text();
  });

  test('keeps an idle connection open with comments', async () => {
    const jobs: FakeJob[] = [];
    await using gateway = await InMemoryGateway.start({
      settings: { LATE_STATUS_MS: 0, KEEPALIVE_MS: 1 },
      worker: (job) => {
        jobs.push(job);
        job.send(accepted(), started());
      },
    });
    await using client = await RawClient.connect(gateway.port);
    client.send(completionBytes(gateway.key, { stream: true }));
    await client.waitFor(': keepalive\n\n');
    jobs[0]?.send(finished());
    expect(await client.waitFor('[DONE]')).toContain('"finish_reason":"stop"');
  });
});

describe('a failure after the first delta', () => {
  test('is an error event and a broken connection, without an end marker or a proper end', async () => {
    await using gateway = await InMemoryGateway.start({
      worker: ({ send }) =>
        send(
          accepted(),
          started(),
          delta({ content: 'half' }),
          failed('upstream_unavailable', true),
        ),
    });
    await using client = await RawClient.connect(gateway.port);
    client.send(completionBytes(gateway.key, { stream: true }));
    const text = await client.waitForClose();
    expect(text).toContain('half');
    expect(text).toContain('data: {"error":{"message":');
    expect(text).not.toContain('[DONE]');
    expect(text).not.toContain('\r\n0\r\n');
    const error = text.slice(text.indexOf('data: {"error"'), text.lastIndexOf('\n\n'));
    expect(JSON.parse(error.slice('data: '.length))).toEqual({
      error: {
        message: expect.any(String) as string,
        type: 'upstream_unavailable_error',
        param: null,
        code: null,
      },
    });
  });

  test('is not retried on another worker, which would repeat the answer', async () => {
    const worker = ({ send }: FakeJob) =>
      send(accepted(), started(), delta({ content: 'half' }), failed('upstream_unavailable', true));
    await using gateway = await InMemoryGateway.start({ workers: { one: worker, two: worker } });
    const reply = await gateway.complete({ stream: true });
    await expect(reply.text()).rejects.toThrow('terminated');
    expect(gateway.sender.offers).toHaveLength(1);
  });

  test('can be a gap in the frames', async () => {
    await using gateway = await InMemoryGateway.start({
      worker: ({ send, sendAs }) => {
        send(accepted(), started(), delta({ content: 'a' }));
        sendAs(9, delta({ content: 'c' }), finished());
      },
    });
    const reply = await gateway.complete({ stream: true });
    await expect(reply.text()).rejects.toThrow('terminated');
    expect(gateway.sender.cancelled).toHaveLength(1);
  });

  test('resets a connection without chunks, which no client treats as an end', async () => {
    await using gateway = await InMemoryGateway.start({
      worker: ({ send }) =>
        send(accepted(), delta({ content: 'half' }), failed('upstream_unavailable', false)),
    });
    await using client = await RawClient.connect(gateway.port);
    const failure = new Promise((resolve) => client.socket.once('error', resolve));
    client.send(completionBytes(gateway.key, { stream: true }, '1.0'));
    expect(await failure).toMatchObject({ code: 'ECONNRESET' });
    expect(client.received).toContain('half');
  });

  test('is the same if the client sends invalid bytes after its request', async () => {
    await using gateway = await InMemoryGateway.start({
      worker: ({ send }) => send(accepted(), delta({ content: 'half' })),
    });
    await using client = await RawClient.connect(gateway.port);
    const failure = new Promise((resolve) => client.socket.once('error', resolve));
    client.send(completionBytes(gateway.key, { stream: true }, '1.0'));
    await client.waitFor('half');
    client.send('no request at all\r\n\r\n');
    expect(await failure).toMatchObject({ code: 'ECONNRESET' });
  });
});

describe('a reply that is not streamed', () => {
  test('is one object, sent when it is complete', async () => {
    await using gateway = await InMemoryGateway.start();
    const reply = await gateway.complete();
    expect(await reply.json()).toEqual({
      id: expect.stringMatching(/^chatcmpl-[0-9A-Za-z]{24,}$/) as string,
      object: 'chat.completion',
      created: expect.any(Number) as number,
      model: 'acme/large',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello world', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: USAGE,
    });
  });

  test('is retried elsewhere if a worker fails after its message', async () => {
    const offered: string[] = [];
    const flaky = ({ send, header }: FakeJob) => {
      offered.push(header.request);
      if (offered.length > 1) {
        helloWorker({ send, header } as FakeJob);
        return;
      }
      send(
        accepted(),
        delta({ role: 'assistant', content: 'wrong', refusal: null }),
        usage(),
        failed('upstream_unavailable', true),
      );
    };
    await using gateway = await InMemoryGateway.start({ workers: { one: flaky, two: flaky } });
    const reply = await gateway.complete();
    expect(await reply.text()).toContain('Hello world');
    expect(new Set(gateway.sender.offers)).toEqual(new Set(['one', 'two']));
  });
});
