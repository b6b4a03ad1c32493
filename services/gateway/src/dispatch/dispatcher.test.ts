import { getEventListeners } from 'node:events';
import { FrameKind, encodeFrames, frame, readFrames } from '@sluice/contracts';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { heartbeatOf } from '../fleet/heartbeat-fixture.ts';
import {
  accepted,
  delta,
  failed,
  job,
  load,
  refused,
  setUp,
  started,
  whole,
} from './dispatch-fixture.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('a job', () => {
  test('is offered to one worker and delivers the whole answer', async () => {
    const { run, sink, offers, fleet } = setUp([whole]);
    await run();
    expect([sink.text, sink.reason]).toEqual(['Hello', 'stop']);
    expect(offers).toHaveLength(1);
    expect(fleet.describe()).toContainEqual(
      expect.objectContaining({ id: offers[0]?.worker, ...load }),
    );
    expect(offers[0]?.header).toMatchObject({
      gateway: 'gateway',
      request: 'request',
      attempt: 1,
      organization: 'acme',
      project: 'default',
      model: 'acme/large',
      runtime_model: 'large',
      max_output_tokens: 20,
      output_bound_requested: true,
      context_length: 100,
    });
  });

  test('carries the scheduling of its organization, if it is not the default', async () => {
    const scheduling = { weight: 3, scheduling_class: 2, slots_per_worker: 4 };
    const { run, offers } = setUp([whole, whole]);
    await run({ ...job, principal: { ...job.principal, scheduling } });
    await run();
    expect(offers[0]?.header).toMatchObject(scheduling);
    for (const field of Object.keys(scheduling)) {
      expect(offers[1]?.header).not.toHaveProperty(field);
    }
  });

  test.each([
    ['refused', [refused()], 1],
    // Not counted as refused: the job may have arrived, which leaves a record of an attempt.
    ['not answered in time', [], 0],
    ['sent without a subscriber', 'no_subscriber' as const, 0],
  ])('is offered to another worker when it is %s', async (_case, behaviour, refusedOffers) => {
    const { run, sink, offeredTo, counts } = setUp([behaviour, whole]);
    await run();
    expect(sink.text).toBe('Hello');
    expect(new Set(offeredTo()).size).toBe(2);
    expect(counts).toMatchObject({ offers: 2, refusedOffers });
  });

  test('is offered to a slow worker again when the others refuse it', async () => {
    const { run, sink, offeredTo } = setUp([[], [refused()], whole], ['a', 'b']);
    await run();
    const [first, second, third] = offeredTo();
    expect(sink.text).toBe('Hello');
    expect([third, third === second]).toEqual([first, false]);
  });

  test('that was answered while this process was paused is not offered again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { run, offers, candidates } = setUp([whole, whole]);
    const running = run();
    // The answer has arrived, but the timer runs first.
    vi.advanceTimersByTime(10_000);
    await running;
    expect(offers).toHaveLength(1);
    expect(candidates()).toHaveLength(4);
  });

  test('that was accepted stays with its worker, however long the answer takes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { run, sink, offers } = setUp([[accepted(), started()], whole]);
    const running = run();
    await turn();
    vi.advanceTimersByTime(10_000);
    await turn();
    const { attempt } = offers[0] ?? {};
    if (attempt !== undefined) readFrames(encodeFrames(2, whole.slice(2)), attempt.onFrame);
    await running;
    expect(sink.text).toBe('Hello');
    expect(offers).toHaveLength(1);
  });

  describe('with a large body', () => {
    const LARGE = { ...job, body: Buffer.alloc(3_600_000) };
    const setUpFrozen = (...script: Parameters<typeof setUp>) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      return setUp(...script);
    };

    test('is not offered to the next worker while the first may be busy reading it', async () => {
      const { run, sink, offers } = setUpFrozen([[], whole]);
      const running = run({ ...LARGE });
      vi.advanceTimersByTime(6_000);
      await turn();
      expect(offers).toHaveLength(1);
      const { attempt } = offers[0] ?? {};
      if (attempt !== undefined) readFrames(encodeFrames(0, whole), attempt.onFrame);
      await running;
      expect(sink.text).toBe('Hello');
      expect(offers).toHaveLength(1);
    });

    test('is offered to another worker after the first has been silent for the silence limit', async () => {
      const { run, sink, offeredTo } = setUpFrozen([[], whole]);
      const running = run({ ...LARGE });
      vi.advanceTimersByTime(6_250);
      await running;
      expect(sink.text).toBe('Hello');
      expect(new Set(offeredTo()).size).toBe(2);
    });

    test('is not offered to a third worker if the second is silent too', async () => {
      const { run, offers } = setUpFrozen([[], [], whole]);
      const running = Promise.allSettled([run({ ...LARGE })]);
      await vi.advanceTimersByTimeAsync(15_000);
      expect(await running).toMatchObject([{ reason: { code: 'upstream_unavailable' } }]);
      expect(offers).toHaveLength(2);
    });

    test('is offered to another worker at once if the first has ended', async () => {
      const { run, sink, offers } = setUpFrozen(['no_subscriber', whole]);
      await run({ ...LARGE });
      expect(sink.text).toBe('Hello');
      expect(offers).toHaveLength(2);
    });
  });

  test('that its worker does not end is ended by the gateway after a grace period', async () => {
    const { run, offers, time, ends } = setUp([[accepted(), started()]]);
    const running = Promise.allSettled([run()]);
    await vi.waitUntil(() => offers[0]?.attempt.accepted);
    const { attempt } = offers[0] ?? {};
    let number = 2;
    const checkAfter = async (skippedMs: number) => {
      time.skippedMs = skippedMs;
      // A tick prevents the silence limit.
      if (attempt !== undefined) {
        readFrames(encodeFrames(number, [frame(FrameKind.tick)]), attempt.onFrame);
      }
      number += 1;
      attempt?.checkTime(performance.now() + skippedMs);
      await turn();
    };
    // The limits for waiting and running have passed, but not the grace period.
    await checkAfter(30_000 + 60_000 + 4_000);
    expect(ends).toEqual([]);
    await checkAfter(30_000 + 60_000 + 5_000);
    expect(ends).toEqual(['overdue']);
    expect(await running).toMatchObject([{ reason: { code: 'upstream_unavailable' } }]);
  });

  test('that no worker answers fails in the end', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { run, offers } = setUp([[], []], ['a', 'b']);
    const running = Promise.allSettled([run()]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await running).toMatchObject([
      { reason: { code: 'infrastructure_rate_limit_exceeded' } },
    ]);
    expect(offers).toHaveLength(3);
  });

  test('is refused as busy after three refused offers, with the shortest wait', async () => {
    const { run, offeredTo } = setUp([[refused(9_000)], [refused(4_000)], [refused(7_000)], whole]);
    await expect(run()).rejects.toMatchObject({
      code: 'infrastructure_rate_limit_exceeded',
      retryAfterMs: 4_000,
    });
    expect(new Set(offeredTo()).size).toBe(3);
  });

  test('without a worker is refused at once', async () => {
    const { run } = setUp([], []);
    await expect(run()).rejects.toMatchObject({ code: 'infrastructure_rate_limit_exceeded' });
  });

  test('for a model that no runtime of its pool has fails as missing, without Retry-After', async () => {
    const { run, fleet } = setUp([], []);
    fleet.update(heartbeatOf('a', { models: ['other'] }));
    await expect(run()).rejects.toMatchObject({
      code: 'upstream_model_missing',
      retryAfterMs: undefined,
    });
  });

  test.each([
    ['a runtime of the pool is down', { models: [] }],
    ['the worker with the model drains', { models: ['large'], draining: true }],
  ])('may be retried while %s', async (_case, change) => {
    const { run, fleet } = setUp([], []);
    fleet.update(heartbeatOf('a', { models: ['other'] }));
    fleet.update(heartbeatOf('b', change));
    await expect(run()).rejects.toMatchObject({ code: 'infrastructure_rate_limit_exceeded' });
  });

  test('may be retried while only other pools have workers', async () => {
    const { run, fleet } = setUp([], []);
    fleet.update(heartbeatOf('a', { models: ['other'], pool: 'elsewhere' }));
    await expect(run()).rejects.toMatchObject({ code: 'infrastructure_rate_limit_exceeded' });
  });

  test('leaves no listener for workers behind when it ends', async () => {
    const { run, fleet, sender, gone } = setUp([], []);
    await expect(run()).rejects.toMatchObject({ code: 'infrastructure_rate_limit_exceeded' });
    expect(fleet.waiterCount).toBe(0);
    sender.fleetKnown = () => new Promise(() => undefined);
    const running = run();
    expect(fleet.waiterCount).toBe(1);
    gone.abort(new Error('gone'));
    await expect(running).rejects.toThrow('gone');
    expect(fleet.waiterCount).toBe(0);
  });

  test('leaves no listener on the signal of its request', async () => {
    const { run, gone } = setUp([whole]);
    await run();
    const waiting = setUp([], []);
    await expect(waiting.run()).rejects.toMatchObject({
      code: 'infrastructure_rate_limit_exceeded',
    });
    for (const { signal } of [gone, waiting.gone]) {
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    }
  });

  test('is offered to a worker that arrives while the job waits', async () => {
    const { run, fleet, sender, sink } = setUp([whole], []);
    sender.fleetKnown = () => new Promise(() => undefined);
    const running = run();
    fleet.update(heartbeatOf('late'));
    await running;
    expect(sink.text).toBe('Hello');
  });

  test('keeps its body only until output has reached the client', async () => {
    const { run, sink, gone } = setUp([[accepted(), started(), delta('Hello')]]);
    const taken = { ...job, body: Buffer.from('{"a":1}') as Uint8Array };
    const lengths: number[] = [];
    const take = sink.delta.bind(sink);
    sink.delta = (body) => {
      lengths.push(taken.body.length);
      take(body);
      setImmediate(() => gone.abort(new Error('gone')));
    };
    await expect(run(taken)).rejects.toThrow('gone');
    expect([lengths, taken.body.length]).toEqual([[7], 0]);
  });

  test('that has sent nothing to the client yet is sent with its body to the next worker', async () => {
    const script = [[accepted(), started(), delta('lost'), failed(true)], whole];
    const { run, sink, sender } = setUp(script);
    Object.defineProperty(sink, 'delivered', { value: false });
    const taken = { ...job, body: Buffer.from('{"a":1}') as Uint8Array };
    const bodies: number[] = [];
    const offer = sender.offer.bind(sender);
    sender.offer = (...offered) => {
      bodies.push(taken.body.length);
      offer(...offered);
    };
    await run(taken);
    expect(bodies).toEqual([7, 7]);
  });

  test('that a draining worker returns restarts its search', async () => {
    const script = [[refused()], [accepted(), refused()], [refused()], [refused()], whole];
    const { run, sink, offers, counts } = setUp(script, ['a', 'b', 'c', 'd', 'e', 'f']);
    await run();
    expect(sink.text).toBe('Hello');
    expect(offers.map(({ header }) => header.attempt)).toEqual([1, 2, 3, 4, 5]);
    // A returned job was accepted before, so it does not count as a refused offer.
    expect(counts).toMatchObject({ offers: 5, refusedOffers: 3 });
  });

  test('can be returned five times, and is then refused as busy', async () => {
    const returns = (count: number) => Array.from({ length: count }, () => [accepted(), refused()]);
    const served = setUp([...returns(5), whole]);
    await served.run();
    expect(served.sink.text).toBe('Hello');
    const { run, offers } = setUp([...returns(6), whole]);
    await expect(run()).rejects.toMatchObject({ code: 'infrastructure_rate_limit_exceeded' });
    expect(offers).toHaveLength(6);
  });

  test('that is returned is offered again to a worker that refused it before', async () => {
    const { run, sink, offeredTo } = setUp(
      [[refused()], [accepted(), refused()], whole],
      ['a', 'b'],
    );
    await run();
    const [first, second, third] = offeredTo();
    expect(sink.text).toBe('Hello');
    expect([third, third === second]).toEqual([first, false]);
  });
});

test('jobs that arrive at the same moment count each other as load', async () => {
  const { run, gone, offeredTo } = setUp(Array.from({ length: 8 }, () => [accepted()]));
  const running = Array.from({ length: 8 }, () => run());
  const counts = ['a', 'b', 'c', 'd'].map(
    (id) => offeredTo().filter((worker) => worker === id).length,
  );
  expect(offeredTo()).toHaveLength(8);
  expect(Math.max(...counts)).toBeLessThanOrEqual(3);
  gone.abort(new Error('gone'));
  await Promise.allSettled(running);
});

describe('a client that disconnects', () => {
  test('ends the attempt, and no other is started', async () => {
    const { run, gone, ends, offers, dispatcher } = setUp([[accepted(), started()], whole]);
    const running = run();
    await Promise.resolve();
    const reason = new Error('gone');
    gone.abort(reason);
    await expect(running).rejects.toBe(reason);
    expect(ends).toEqual(['left']);
    expect([offers.length, dispatcher.running]).toEqual([1, 0]);
  });

  test('no longer counts as an offer', async () => {
    const { run, gone, fleet } = setUp([[]], ['only']);
    const running = run();
    await Promise.resolve();
    expect(fleet.describe()).toMatchObject([{ offered: 1 }]);
    gone.abort(new Error('gone'));
    await expect(running).rejects.toThrow('gone');
    expect(fleet.describe()).toMatchObject([{ offered: 0 }]);
  });
});
