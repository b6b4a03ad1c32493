import { LEASE_EXPIRY_MS } from '@sluice/contracts';
import { useLeakCheck, useNats, waitUntil } from '@sluice/devkit';
import { afterEach, describe, expect, it } from 'vitest';
import { startBench, type Bench } from './bench-worker.ts';
import { GatewayDouble } from './gateway-double.ts';

useLeakCheck();
const nats = useNats();
let bench: Bench;
const begin = async (settings: Record<string, string> = {}) => {
  bench = await startBench({ natsUrl: nats.url, prefix: nats.namespace, settings });
};

afterEach(async () => {
  await bench.untilNothingIsHeld();
  await bench[Symbol.asyncDispose]();
});

describe('the timers of a worker', () => {
  it('a silent attempt sends a tick every two seconds, queued or running', async () => {
    await begin({ SLOTS: '1' });
    const running = bench.gateway.send(bench.worker.id, { sim: { ttft_ms: 60_000 } });
    const queued = bench.gateway.send(bench.worker.id);
    await running.until('started');
    const startedAt = performance.now();
    await Promise.all([running.until('tick'), queued.until('tick')]);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    const numbers = queued.frames.map(({ number }) => number);
    expect(numbers).toEqual(numbers.map((_, index) => index));
    await bench.gateway.cancel(bench.worker.id, queued.name);
    await bench.gateway.cancel(bench.worker.id, running.name);
  });

  it('a stalled runtime fails the attempt and is disconnected', async () => {
    await begin({ STALL_TIMEOUT_MS: '300', FIRST_WORD_TIMEOUT_MS: '600' });
    const middle = bench.gateway.send(bench.worker.id, { sim: { stall_after: 3 } });
    const first = bench.gateway.send(bench.worker.id, { sim: { ttft_ms: 60_000 } });
    for (const attempt of [middle, first]) {
      expect((await attempt.untilOver()).body('failed')).toEqual({
        reason: 'upstream_unavailable',
        retryable: true,
      });
    }
    await bench.untilNothingIsHeld();
    expect(bench.simulator.state().aborted).toBe(2);
  });

  it('a runtime that may be generating a call gets more time than one that sends text', async () => {
    await begin({ STALL_TIMEOUT_MS: '300', FIRST_WORD_TIMEOUT_MS: '60000' });
    const sim = { stall_after: 3 };
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const calling = bench.gateway.send(bench.worker.id, { sim, body: { tools } });
    await calling.until('delta');
    const forbidden = { tools, tool_choice: 'none' };
    for (const body of [{}, forbidden]) {
      const speaking = await bench.gateway.send(bench.worker.id, { sim, body }).untilOver();
      expect(speaking.kinds().at(-1)).toBe('failed');
    }
    expect(calling.kinds()).not.toContain('failed');
    await bench.gateway.cancel(bench.worker.id, calling.name);
  });

  it('an attempt fails at its deadline, and a queued one at its queue timeout', async () => {
    await begin({ SLOTS: '1' });
    const late = bench.gateway.send(bench.worker.id, {
      sim: { tokens: 100_000 },
      header: { run_ms: 900 },
    });
    const waiting = bench.gateway.send(bench.worker.id, { header: { queue_ms: 300 } });
    expect((await waiting.untilOver()).body('failed')).toMatchObject({
      reason: 'queue_timeout',
      retryable: false,
    });
    expect((await late.untilOver()).body('failed')).toEqual({
      reason: 'deadline_exceeded',
      retryable: false,
    });
  });

  it('a missing usage does not delay a complete answer', async () => {
    await begin();
    const attempt = await bench.gateway
      .send(bench.worker.id, { sim: { tokens: 5, usage: false, done: false } })
      .untilOver(5_000);
    expect(attempt.kinds().at(-1)).toBe('finished');
  });

  it('the jobs of a silent gateway are cancelled, and those of another continue', async () => {
    await begin();
    await using silent = await GatewayDouble.connect(nats.url, nats.namespace);
    const lost = silent.send(bench.worker.id, { sim: { tokens: 5_000, itl_ms: 20 } });
    const kept = bench.gateway.send(bench.worker.id, { sim: { tokens: 5_000, itl_ms: 20 } });
    await Promise.all([lost.until('delta'), kept.until('delta')]);
    const startedAt = performance.now();
    await waitUntil(
      () => {
        bench.gateway.lease();
        return bench.simulator.state().aborted === 1;
      },
      { what: 'the silent gateway to be left', timeoutMs: 14_000, everyMs: 500 },
    );
    expect(performance.now() - startedAt).toBeGreaterThan(9_000);
    const hasGap = () => lost.frames.some(({ number }, index) => number !== index);
    await waitUntil(hasGap, { what: 'the gap in its frames' });
    expect(bench.worker.holdings()).toMatchObject({ attempts: 1, running: 1 });
    await bench.gateway.cancel(bench.worker.id, kept.name);
  });

  it('the jobs of a gateway that has ended are cancelled long before its lease expires', async () => {
    await begin();
    const ended = await GatewayDouble.connect(nats.url, nats.namespace);
    const lost = ended.send(bench.worker.id, { sim: { tokens: 5_000, itl_ms: 20 } });
    await lost.until('delta');
    await ended[Symbol.asyncDispose]();
    await waitUntil(() => bench.simulator.state().aborted === 1, {
      what: 'the end of the generation',
      timeoutMs: LEASE_EXPIRY_MS - 2_000,
    });
    expect(bench.worker.holdings()).toMatchObject({ attempts: 0, running: 0 });
  });

  it('jobs that are still running at the end of the drain fail as retryable', async () => {
    await begin({ DRAIN_TIMEOUT_MS: '200' });
    const attempt = bench.gateway.send(bench.worker.id, { sim: { tokens: 200_000 } });
    await attempt.until('delta');
    await bench.worker[Symbol.asyncDispose]();
    expect((await attempt.untilOver()).body('failed')).toEqual({
      reason: 'upstream_unavailable',
      retryable: true,
    });
  });
});
