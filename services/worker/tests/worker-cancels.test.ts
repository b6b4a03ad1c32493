import { useLeakCheck, useNats, waitUntil } from '@sluice/devkit';
import { describe, expect, it } from 'vitest';
import { startBench, useBench, type Bench } from './bench-worker.ts';

useLeakCheck();
const nats = useNats();
const bench = useBench(nats);

const send: Bench['gateway']['send'] = (...job) => bench.gateway.send(...job);

describe('a cancel', () => {
  const stop = async (name: string) => {
    const startedAt = performance.now();
    await bench.gateway.cancel(bench.worker.id, name);
    await bench.untilNothingIsHeld();
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  };

  it('before the first output stops the runtime', async () => {
    const attempt = send(bench.worker.id, { sim: { ttft_ms: 60_000 } });
    await waitUntil(() => bench.simulator.state().running === 1, { what: 'the generation' });
    await stop(attempt.name);
    expect(bench.simulator.state()).toMatchObject({ aborted: 1, tokens_generated: 0 });
  });

  it('in the middle of a stream stops the runtime', async () => {
    const attempt = send(bench.worker.id, { sim: { tokens: 100_000 } });
    await attempt.until('delta');
    await stop(attempt.name);
    expect(bench.simulator.state()).toMatchObject({ aborted: 1, finished: 0 });
    expect(attempt.kinds()).not.toContain('finished');
  });

  it('of a job that does not stream stops the runtime', async () => {
    const attempt = send(bench.worker.id, { header: { stream: false }, sim: { tokens: 100_000 } });
    await waitUntil(() => bench.simulator.state().tokens_generated > 0, { what: 'the generation' });
    await stop(attempt.name);
    expect(bench.simulator.state()).toMatchObject({ aborted: 1, finished: 0 });
  });

  it('of a queued job keeps it from the runtime', async () => {
    const running = Array.from({ length: 4 }, () =>
      send(bench.worker.id, { sim: { stall_after: 1 } }),
    );
    await Promise.all(running.map((attempt) => attempt.until('delta')));
    const queued = send(bench.worker.id);
    await queued.until('accepted');
    await bench.gateway.cancel(bench.worker.id, queued.name);
    expect(bench.worker.holdings()).toMatchObject({ queued: 0, attempts: 4 });
    await Promise.all(running.map(({ name }) => bench.gateway.cancel(bench.worker.id, name)));
    await bench.untilNothingIsHeld();
    expect(bench.simulator.state().accepted).toBe(4);
  });

  it('that arrives before its job makes the worker refuse the job', async () => {
    await bench.gateway.cancel(bench.worker.id, 'early-1');
    const attempt = await send(bench.worker.id, { header: { request: 'early' } }).untilOver();
    expect(attempt.body('refused')).toMatchObject({ reason: 'cancelled' });
  });

  it('after the end of its attempt is acknowledged', async () => {
    const attempt = await send(bench.worker.id, { sim: { tokens: 2 } }).untilOver();
    await expect(bench.gateway.cancel(bench.worker.id, attempt.name)).resolves.toBeUndefined();
  });

  it('of fifty streams at random moments releases everything', async () => {
    await using large = await startBench({
      natsUrl: nats.url,
      prefix: `${nats.namespace}-large`,
      settings: { SLOTS: '16', QUEUE_LIMIT: '64' },
    });
    const { gateway, worker, simulator } = large;
    const attempts = Array.from({ length: 50 }, (_, index) =>
      gateway.send(worker.id, {
        sim: { tokens: 100_000 },
        header: { stream: index % 5 !== 0, organization: `org-${index % 7}` },
      }),
    );
    await Promise.all(attempts.map((attempt) => attempt.until('accepted')));
    for (const [index, { name }] of attempts.entries()) {
      if (index % 4 === 0) {
        await waitUntil(() => attempts.some((each) => each.frames.length > index), {
          what: 'frames',
        });
      }
      await gateway.cancel(worker.id, name);
    }
    await large.untilNothingIsHeld();
    expect(simulator.state().finished).toBe(0);
  });
});

describe('an inquiry', () => {
  it('is answered, and stops no attempt', async () => {
    const attempt = send(bench.worker.id, { sim: { stall_after: 1 } });
    await attempt.until('delta');
    await bench.gateway.inquire(bench.worker.id);
    expect(bench.worker.holdings()).toMatchObject({ attempts: 1 });
    await bench.gateway.cancel(bench.worker.id, attempt.name);
  });
});
