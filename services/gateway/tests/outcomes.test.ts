import { ServiceError, type RequestRecord } from '@sluice/contracts';
import { waitUntil } from '@sluice/devkit';
import { afterEach, describe, expect, it } from 'vitest';
import { MODEL } from './fake-catalog.ts';
import { InMemoryGateway, type InMemoryGatewayOptions } from './in-memory-gateway.ts';
import { REFUSED } from './refused-admission.ts';
import { accepted, delta, failed, refused, started } from './worker-frames.ts';

let gateway: InMemoryGateway | undefined;

afterEach(async () => {
  await gateway?.[Symbol.asyncDispose]();
  gateway = undefined;
});

async function start(options: InMemoryGatewayOptions = {}): Promise<InMemoryGateway> {
  gateway = await InMemoryGateway.start(options);
  return gateway;
}

/** The only record, once every request has ended. */
async function outcome({ app, outcomes }: InMemoryGateway): Promise<RequestRecord | undefined> {
  await waitUntil(() => app.openRequests.requestCount === 0, { what: 'every request to end' });
  expect(outcomes.length).toBeLessThanOrEqual(1);
  return outcomes[0];
}

const usage = { input_tokens: 3, cached_tokens: 0, output_tokens: 2, reasoning_tokens: 0 };

describe('a request that is answered', () => {
  it.each([true, false])('is completed and has its usage (stream: %s)', async (stream) => {
    const before = Date.now();
    const served = await start();
    await (await served.complete({ stream })).text();
    const record = await outcome(served);
    expect(record).toMatchObject({
      kind: 'request',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      gateway: 'gateway1',
      operation: 'completions',
      model: MODEL.id,
      stream,
      outcome: 'completed',
      code: null,
      attempts: 1,
      delivered_tokens: 2,
      usage,
    });
    expect(record?.estimated_input_tokens).toBeGreaterThan(0);
    expect(record?.received_at_ms).toBeGreaterThanOrEqual(before - 1);
    expect(record?.duration_ms).toBeGreaterThanOrEqual(record?.first_token_ms ?? Infinity);
  });

  it('by the second worker has two attempts', async () => {
    let first = true;
    const worker = (job: Parameters<NonNullable<InMemoryGatewayOptions['worker']>>[0]) => {
      job.send(accepted(), started());
      if (first) job.send(failed('upstream_unavailable', true));
      else job.send(delta({ content: 'Hi' }), { kind: 6, body: finishedBody });
      first = false;
    };
    const served = await start({ workers: { worker1: worker, worker2: worker } });
    await (await served.complete({ stream: true })).text();
    expect(await outcome(served)).toMatchObject({
      outcome: 'completed',
      attempts: 2,
      delivered_tokens: 1,
      usage: null,
    });
  });

  it('by the second worker after a refusal has two offers, one of them refused', async () => {
    let first = true;
    const worker = (job: Parameters<NonNullable<InMemoryGatewayOptions['worker']>>[0]) => {
      const answer = [accepted(), delta({ content: 'Hi' }), { kind: 6, body: finishedBody }];
      job.send(...(first ? [refused('full')] : answer));
      first = false;
    };
    const served = await start({ workers: { worker1: worker, worker2: worker } });
    await (await served.complete({ stream: true })).text();
    expect(await outcome(served)).toMatchObject({
      outcome: 'completed',
      attempts: 2,
      refused_offers: 1,
    });
  });

  it('about models is recorded too, without tokens', async () => {
    const served = await start();
    await (await served.request('/models')).text();
    expect(await outcome(served)).toMatchObject({
      operation: 'models',
      outcome: 'completed',
      model: null,
      attempts: 0,
      delivered_tokens: 0,
      usage: null,
    });
  });
});

const finishedBody = Buffer.from(
  JSON.stringify({
    finish_reason: 'stop',
    load: { slots: 8, running: 0, queued: 0, queue_limit: 8 },
  }),
);

describe('a request without an answer', () => {
  it('because it is invalid is refused', async () => {
    const served = await start();
    await served.complete({ temperature: 9 });
    expect(await outcome(served)).toMatchObject({
      outcome: 'refused',
      code: 'invalid_value',
      model: null,
      attempts: 0,
    });
  });

  it('because of its access is refused, and is not recorded if its credential is unknown', async () => {
    const refused = await start({ principal: { accessRefusal: 'account_restricted' } });
    await refused.complete();
    expect(await outcome(refused)).toMatchObject({
      outcome: 'refused',
      code: 'account_restricted',
    });
    await refused[Symbol.asyncDispose]();
    const unknown = await start();
    const { status } = await unknown.complete({}, { headers: { authorization: 'Bearer sk-no' } });
    expect(status).toBe(401);
    expect(await outcome(unknown)).toBeUndefined();
  });

  it('because of a limit is refused and keeps its description', async () => {
    const served = await start();
    served.limiter.decide = () => REFUSED;
    expect((await served.complete({ stream: true })).status).toBe(429);
    const record = await outcome(served);
    expect(record).toMatchObject({
      outcome: 'refused',
      code: 'rate_limit_exceeded',
      model: 'acme/large',
      stream: true,
      attempts: 0,
      delivered_tokens: 0,
      usage: null,
    });
    expect(record?.estimated_input_tokens).toBeGreaterThan(0);
  });

  it('because there is no worker has failed', async () => {
    const served = await start({ workers: {} });
    expect((await served.complete()).status).toBe(503);
    expect(await outcome(served)).toMatchObject({
      outcome: 'failed',
      code: 'infrastructure_rate_limit_exceeded',
      attempts: 0,
    });
  });

  it.each([
    ['upstream_unavailable', true],
    // As a status this code would mean a fault of the client.
    ['context_length_exceeded', false],
  ] as const)(
    'because its answer broke off has failed, and counts what was delivered: %s',
    async (code, retryable) => {
      const served = await start({
        worker: ({ send }) => {
          send(accepted(), started(), delta({ content: 'a' }), delta({ content: 'b' }));
          send(failed(code, retryable));
        },
      });
      const reply = await served.complete({ stream: true });
      await expect(reply.text()).rejects.toThrow('terminated');
      expect(await outcome(served)).toMatchObject({
        outcome: 'failed',
        code,
        attempts: 1,
        delivered_tokens: 2,
        usage: null,
      });
    },
  );

  it.each([true, false])(
    'because its client disconnected is cancelled (stream: %s)',
    async (stream) => {
      const served = await start({
        worker: ({ send, header }) => {
          send(accepted(), started());
          if (header.stream) send(delta({ content: 'a' }));
        },
      });
      const leaving = new AbortController();
      const reply = served.complete({ stream }, { signal: leaving.signal });
      if (stream) await reply;
      else {
        await waitUntil(() => served.dispatcher.running === 1, { what: 'the job to run' });
      }
      leaving.abort();
      await reply.catch(() => undefined);
      expect(await outcome(served)).toMatchObject({
        outcome: 'cancelled',
        code: null,
        attempts: 1,
        delivered_tokens: stream ? 1 : 0,
      });
    },
  );

  it('because the process ended has failed', async () => {
    const served = await start({
      worker: ({ send }) => send(accepted(), started(), delta({ content: 'a' })),
    });
    const reply = await served.complete({ stream: true });
    served.app.openRequests.destroyAll(new ServiceError('service_unavailable', 'stopping'));
    await expect(reply.text()).rejects.toThrow('terminated');
    expect(await outcome(served)).toMatchObject({
      outcome: 'failed',
      code: 'service_unavailable',
      delivered_tokens: 1,
    });
  });
});
