import { getEventListeners } from 'node:events';
import { FrameKind, encodeFrames, frame, readFrames } from '@sluice/contracts';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
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
import { heartbeatOf } from './heartbeat-fixture.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('a job', () => {
  test('goes to one worker and comes back whole', async () => {
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

  test.each([
    ['refused', [refused()], 1],
    // It may have arrived, and leave a record of an attempt.
    ['not heard of in time', [], 0],
    ['for nobody', 'nobody' as const, 0],
  ])('is offered to another worker when it is %s', async (_case, behaviour, refusedOffers) => {
    const { run, sink, offeredTo, tally } = setUp([behaviour, whole]);
    await run();
    expect(sink.text).toBe('Hello');
    expect(new Set(offeredTo()).size).toBe(2);
    expect(tally).toMatchObject({ offers: 2, refusedOffers });
  });

  test('comes back to a worker that was only slow when the others refuse it', async () => {
    const { run, sink, offeredTo } = setUp([[], [refused()], whole], ['a', 'b']);
    await run();
    const [first, second, third] = offeredTo();
    expect(sink.text).toBe('Hello');
    expect([third, third === second]).toEqual([first, false]);
  });

  test('that was answered while this process stood still is not offered again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { run, offers, candidates } = setUp([whole, whole]);
    const running = run();
    // The answer has come, and the timer's turn is first.
    vi.advanceTimersByTime(10_000);
    await running;
    expect(offers).toHaveLength(1);
    expect(candidates()).toHaveLength(4);
  });

  test('that was accepted is left to its worker, however long that takes', async () => {
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

    test('is not offered to the next worker while the first one may be busy with it', async () => {
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

    test('goes to another worker when the first one was silent for so long that it may be gone', async () => {
      const { run, sink, offeredTo } = setUpFrozen([[], whole]);
      const running = run({ ...LARGE });
      vi.advanceTimersByTime(6_250);
      await running;
      expect(sink.text).toBe('Hello');
      expect(new Set(offeredTo()).size).toBe(2);
    });

    test('goes to no third worker when the second one is silent too', async () => {
      const { run, offers } = setUpFrozen([[], [], whole]);
      const running = Promise.allSettled([run({ ...LARGE })]);
      await vi.advanceTimersByTimeAsync(15_000);
      expect(await running).toMatchObject([{ reason: { code: 'upstream_unavailable' } }]);
      expect(offers).toHaveLength(2);
    });

    test('goes to another worker at once when the first one has ended', async () => {
      const { run, sink, offers } = setUpFrozen(['nobody', whole]);
      await run({ ...LARGE });
      expect(sink.text).toBe('Hello');
      expect(offers).toHaveLength(2);
    });
  });

  test('that its worker does not end is given up, a while after all its time is over', async () => {
    const { run, offers, time, ends } = setUp([[accepted(), started()]]);
    const running = Promise.allSettled([run()]);
    await vi.waitUntil(() => offers[0]?.attempt.accepted);
    const { attempt } = offers[0] ?? {};
    let number = 2;
    const checkAfter = async (skippedMs: number) => {
      time.skippedMs = skippedMs;
      // It is not silent.
      if (attempt !== undefined) {
        readFrames(encodeFrames(number, [frame(FrameKind.tick)]), attempt.onFrame);
      }
      number += 1;
      attempt?.checkTime(performance.now() + skippedMs);
      await turn();
    };
    // To wait for a slot, to run, and to say so.
    await checkAfter(30_000 + 60_000 + 4_000);
    expect(ends).toEqual([]);
    await checkAfter(30_000 + 60_000 + 5_000);
    expect(ends).toEqual(['overdue']);
    expect(await running).toMatchObject([{ reason: { code: 'upstream_unavailable' } }]);
  });

  test('that nobody answers is given up in the end', async () => {
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

  test('is offered three times and then refused for want of room, with the shortest wait', async () => {
    const { run, offeredTo } = setUp([[refused(9_000)], [refused(4_000)], [refused(7_000)], whole]);
    await expect(run()).rejects.toMatchObject({
      code: 'infrastructure_rate_limit_exceeded',
      retryAfterMs: 4_000,
    });
    expect(new Set(offeredTo()).size).toBe(3);
  });

  test('for which there is no worker is refused at once', async () => {
    const { run } = setUp([], []);
    await expect(run()).rejects.toMatchObject({ code: 'infrastructure_rate_limit_exceeded' });
  });

  test('for a model that no runtime of its pool has is told so, and not to come back in a moment', async () => {
    const { run, fleet } = setUp([], []);
    fleet.heard(heartbeatOf('a', { models: ['other'] }));
    await expect(run()).rejects.toMatchObject({
      code: 'upstream_model_missing',
      retryAfterMs: undefined,
    });
  });

  test.each([
    ['a runtime of the pool is down', { models: [] }],
    ['the worker that has it drains', { models: ['large'], draining: true }],
  ])('may come back in a moment while %s', async (_case, change) => {
    const { run, fleet } = setUp([], []);
    fleet.heard(heartbeatOf('a', { models: ['other'] }));
    fleet.heard(heartbeatOf('b', change));
    await expect(run()).rejects.toMatchObject({ code: 'infrastructure_rate_limit_exceeded' });
  });

  test('may come back in a moment while only other pools have workers', async () => {
    const { run, fleet } = setUp([], []);
    fleet.heard(heartbeatOf('a', { models: ['other'], pool: 'elsewhere' }));
    await expect(run()).rejects.toMatchObject({ code: 'infrastructure_rate_limit_exceeded' });
  });

  test('leaves nobody waiting for workers when it ends', async () => {
    const { run, fleet, carrier, gone } = setUp([], []);
    await expect(run()).rejects.toMatchObject({ code: 'infrastructure_rate_limit_exceeded' });
    expect(fleet.awaitedBy).toBe(0);
    carrier.fleetHeard = () => new Promise(() => undefined);
    const running = run();
    expect(fleet.awaitedBy).toBe(1);
    gone.abort(new Error('gone'));
    await expect(running).rejects.toThrow('gone');
    expect(fleet.awaitedBy).toBe(0);
  });

  test('leaves nothing at the signal of a request that goes on', async () => {
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

  test('goes to a worker that arrives while it waits', async () => {
    const { run, fleet, carrier, sink } = setUp([whole], []);
    carrier.fleetHeard = () => new Promise(() => undefined);
    const running = run();
    fleet.heard(heartbeatOf('late'));
    await running;
    expect(sink.text).toBe('Hello');
  });

  test('keeps its body until something reached the client, and no longer', async () => {
    const { run, sink, gone } = setUp([[accepted(), started(), delta('Hello')]]);
    const taken = { ...job, body: Buffer.from('{"a":1}') as Uint8Array };
    const kept: number[] = [];
    const take = sink.delta.bind(sink);
    sink.delta = (body) => {
      kept.push(taken.body.length);
      take(body);
      setImmediate(() => gone.abort(new Error('gone')));
    };
    await expect(run(taken)).rejects.toThrow('gone');
    expect([kept, taken.body.length]).toEqual([[7], 0]);
  });

  test('of which the client has seen nothing yet is sent whole to the next worker', async () => {
    const script = [[accepted(), started(), delta('lost'), failed(true)], whole];
    const { run, sink, carrier } = setUp(script);
    Object.defineProperty(sink, 'delivered', { value: false });
    const taken = { ...job, body: Buffer.from('{"a":1}') as Uint8Array };
    const bodies: number[] = [];
    const offer = carrier.offer.bind(carrier);
    carrier.offer = (...offered) => {
      bodies.push(taken.body.length);
      offer(...offered);
    };
    await run(taken);
    expect(bodies).toEqual([7, 7]);
  });

  test('that a draining worker hands back begins its search anew', async () => {
    const script = [[refused()], [accepted(), refused()], [refused()], [refused()], whole];
    const { run, sink, offers, tally } = setUp(script, ['a', 'b', 'c', 'd', 'e', 'f']);
    await run();
    expect(sink.text).toBe('Hello');
    expect(offers.map(({ header }) => header.attempt)).toEqual([1, 2, 3, 4, 5]);
    // What was handed back had been accepted.
    expect(tally).toMatchObject({ offers: 5, refusedOffers: 3 });
  });

  test('is handed back a few times, and then there is no room for it', async () => {
    const handBacks = (count: number) =>
      Array.from({ length: count }, () => [accepted(), refused()]);
    const patient = setUp([...handBacks(5), whole]);
    await patient.run();
    expect(patient.sink.text).toBe('Hello');
    const { run, offers } = setUp([...handBacks(6), whole]);
    await expect(run()).rejects.toMatchObject({ code: 'infrastructure_rate_limit_exceeded' });
    expect(offers).toHaveLength(6);
  });

  test('that is handed back is offered again to whoever refused it before it waited', async () => {
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

test('jobs that come at the same moment see each other', async () => {
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

describe('a client that leaves', () => {
  test('ends the attempt, and no other is made', async () => {
    const { run, gone, ends, offers, dispatcher } = setUp([[accepted(), started()], whole]);
    const running = run();
    await Promise.resolve();
    const reason = new Error('gone');
    gone.abort(reason);
    await expect(running).rejects.toBe(reason);
    expect(ends).toEqual(['left']);
    expect([offers.length, dispatcher.running]).toEqual([1, 0]);
  });

  test('leaves no count of offers behind', async () => {
    const { run, gone, fleet } = setUp([[]], ['only']);
    const running = run();
    await Promise.resolve();
    expect(fleet.describe()).toMatchObject([{ offered: 1 }]);
    gone.abort(new Error('gone'));
    await expect(running).rejects.toThrow('gone');
    expect(fleet.describe()).toMatchObject([{ offered: 0 }]);
  });
});
