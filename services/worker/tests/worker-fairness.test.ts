import { useLeakCheck, useNats, waitUntil } from '@sluice/devkit';
import { describe, expect, it } from 'vitest';
import { startBench, type Bench } from './bench-worker.ts';
import type { ReceivedAttempt } from './gateway-double.ts';

useLeakCheck();
const nats = useNats();

const begin = (settings: Record<string, string>): Promise<Bench> =>
  startBench({ natsUrl: nats.url, prefix: nats.namespace, settings });

describe('fairness between organizations', () => {
  it('one job gets the next slot, even if five hundred jobs of another organization wait', async () => {
    await using bench = await begin({ SLOTS: '2', QUEUE_LIMIT: '600' });
    const { gateway, worker } = bench;
    const many = Array.from({ length: 500 }, () =>
      gateway.send(worker.id, { sim: { tokens: 30 } }),
    );
    await waitUntil(() => many.every((attempt) => attempt.frames.length > 0), {
      what: 'all to be accepted',
    });
    const servedBefore = many.filter((attempt) => attempt.kinds().includes('started')).length;
    const one = await gateway
      .send(worker.id, { sim: { tokens: 30 }, header: { organization: 'org-b' } })
      .untilOver();
    const servedAfter = many.filter((attempt) => attempt.kinds().includes('started')).length;
    expect(one.kinds().at(-1)).toBe('finished');
    // Only a few other jobs were served while it waited and ran.
    expect(servedAfter - servedBefore).toBeLessThan(12);
    await Promise.all(many.map(({ name }) => gateway.cancel(worker.id, name)));
    await bench.untilNothingIsHeld();
  });

  it('organizations get equal shares of tokens in a long run of unequal jobs', async () => {
    await using bench = await begin({ SLOTS: '3', QUEUE_LIMIT: '100' });
    const { gateway, worker } = bench;
    const tokens = { short: 10, middle: 40, long: 120 };
    const served: Record<string, number> = { short: 0, middle: 0, long: 0 };
    const stop = new AbortController();
    // Each organization keeps six jobs at the worker, so that some are always queued.
    const keepBusy = async (organization: keyof typeof tokens) => {
      while (!stop.signal.aborted) {
        const attempt: ReceivedAttempt = await gateway
          .send(worker.id, {
            sim: { tokens: tokens[organization], itl_ms: 1 },
            header: { organization },
          })
          .untilOver();
        const usage = attempt.body('usage') as { total_tokens: number } | undefined;
        served[organization] = (served[organization] ?? 0) + (usage?.total_tokens ?? 0);
      }
    };
    const clients = Object.keys(tokens).flatMap((organization) =>
      Array.from({ length: 6 }, () => keepBusy(organization as keyof typeof tokens)),
    );
    await waitUntil(() => Object.values(served).every((total) => total > 6_000), {
      what: 'a long run',
      timeoutMs: 25_000,
    });
    const shares = Object.values(served);
    stop.abort();
    await Promise.all(clients);
    expect(Math.max(...shares) / Math.min(...shares)).toBeLessThan(1.1);
  });
});
