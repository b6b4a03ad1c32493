import { useLeakCheck, useNats } from '@sluice/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startBench, type Bench } from './bench-worker.ts';

useLeakCheck();
const nats = useNats();
let bench: Bench;

beforeEach(async () => {
  bench = await startBench({ natsUrl: nats.url, prefix: nats.namespace });
});
afterEach(async () => {
  await bench.untilNothingIsHeld();
  await bench[Symbol.asyncDispose]();
});

describe('a streamed job', () => {
  it('comes back as numbered frames from accepted to finished', async () => {
    const attempt = await bench.gateway.send(bench.worker.id, { sim: { tokens: 20 } }).untilOver();
    expect(attempt.frames.map(({ number }) => number)).toEqual(
      attempt.frames.map((_, index) => index),
    );
    const kinds = attempt.kinds();
    expect(kinds.slice(0, 2)).toEqual(['accepted', 'started']);
    expect(kinds.slice(-2)).toEqual(['usage', 'finished']);
    expect(new Set(kinds.slice(2, -2))).toEqual(new Set(['delta']));
    expect(attempt.body('accepted')).toEqual({
      load: { slots: 4, running: 1, queued: 0, queue_limit: 8 },
    });
    expect(attempt.body('finished')).toEqual({
      finish_reason: 'stop',
      load: { slots: 4, running: 0, queued: 0, queue_limit: 8 },
    });
    expect(attempt.body('usage')).toMatchObject({
      completion_tokens: 20,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    });
    expect(attempt.text('content').length).toBeGreaterThan(20);
    // The gateway writes the role itself.
    expect(attempt.deltas().every((delta) => !('role' in delta))).toBe(true);
  });
});
