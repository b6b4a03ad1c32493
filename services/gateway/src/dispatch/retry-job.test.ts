import { FrameKind, HEARTBEAT_INTERVAL_MS, jsonFrame } from '@sluice/contracts';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { heartbeatOf } from '../fleet/heartbeat-fixture.ts';
import { ByteBudget } from '../request/byte-budget.ts';
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

describe('a job', () => {
  test.each([
    ['fails in a retryable way', [accepted(), failed(true)]],
    [
      'sends an unreadable frame',
      [accepted(), { kind: FrameKind.finished, body: Buffer.from('{') }],
    ],
  ])('is retried once when its worker %s before the first delta', async (_case, behaviour) => {
    const { run, sink, offeredTo } = setUp([behaviour, whole]);
    await run();
    expect([sink.text, sink.restarts]).toEqual(['Hello', 1]);
    expect(new Set(offeredTo()).size).toBe(2);
  });

  test('is retried on a worker that was full before, if there is no other', async () => {
    const { run, sink, offeredTo } = setUp(
      [[refused()], [accepted(), failed(true)], whole],
      ['a', 'b'],
    );
    await run();
    const [first, second, third] = offeredTo();
    expect(sink.text).toBe('Hello');
    expect([third, third === second]).toEqual([first, false]);
  });

  test('is retried only once', async () => {
    const { run, offers } = setUp([[accepted(), failed(true)], [accepted(), failed(true)], whole]);
    await expect(run()).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect(offers).toHaveLength(2);
  });

  test('is not retried on the worker that failed it', async () => {
    const { run, offers } = setUp([[accepted(), failed(true)], whole], ['only']);
    await expect(run()).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect(offers).toHaveLength(1);
  });

  test.each([
    ['context_length_exceeded', 'context_length_exceeded'],
    ['invalid_request', 'invalid_value'],
    ['upstream_credentials_rejected', 'upstream_credentials_rejected'],
    ['upstream_model_missing', 'upstream_model_missing'],
    ['queue_timeout', 'infrastructure_rate_limit_exceeded'],
    ['upstream_busy', 'infrastructure_rate_limit_exceeded'],
    ['worker_busy', 'infrastructure_rate_limit_exceeded'],
    ['deadline_exceeded', 'upstream_unavailable'],
    ['a reason of a newer worker', 'upstream_unavailable'],
  ])('that fails with the final reason %s gets the error %s and no retry', async (reason, code) => {
    const { run, offers } = setUp([[accepted(), failed(false, reason)], whole]);
    await expect(run()).rejects.toMatchObject({ code });
    expect(offers).toHaveLength(1);
  });

  test('is not retried once something has reached the client', async () => {
    const { run, sink, offers } = setUp([[accepted(), delta('Hel'), failed(true)], whole]);
    await expect(run()).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect([sink.text, sink.restarts, offers.length]).toEqual(['Hel', 0, 1]);
  });

  test.each([
    ['returns it', [accepted(), delta('Hel'), refused()]],
    ['never accepted it', [delta('Hel')]],
  ])('is not offered again if a worker sent output and %s', async (_case, behaviour) => {
    const { run, sink, offers } = setUp([behaviour, whole]);
    await expect(run()).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect([sink.text, sink.restarts, offers.length]).toEqual(['Hel', 0, 1]);
  });

  test('is retried even if it ran for longer than jobs may wait for a slot', async () => {
    const { run, sink, offers, fleet, time } = setUp([[accepted(), started()], whole]);
    const running = run();
    await vi.waitUntil(() => offers[0]?.attempt.accepted);
    time.skippedMs = 40_000;
    for (const worker of ['a', 'b', 'c', 'd']) fleet.update(heartbeatOf(worker));
    offers[0]?.attempt.end({ kind: 'silent' });
    await running;
    expect(sink.text).toBe('Hello');
    // The full time again, except for the time the test took.
    expect(offers[1]?.header.queue_ms).toBeGreaterThan(29_000);
    expect(offers[1]?.header.queue_ms).toBeLessThanOrEqual(30_000);
  });
});

describe('a job whose reply violated the output format', () => {
  const broken = [accepted(), failed(true, 'invalid_output')];

  test('is retried once on another worker, and no worker is penalized', async () => {
    const { run, sink, offeredTo, candidates } = setUp([broken, whole], ['a', 'b']);
    await run();
    expect([sink.text, sink.restarts]).toEqual(['Hello', 1]);
    expect(new Set(offeredTo())).toEqual(new Set(['a', 'b']));
    expect(candidates()).toHaveLength(2);
  });

  test('is retried on the same worker if there is no other', async () => {
    const { run, sink, offeredTo } = setUp([broken, whole], ['only']);
    await run();
    expect(sink.text).toBe('Hello');
    expect(offeredTo()).toEqual(['only', 'only']);
  });

  test('is retried on the same worker if the others have no room', async () => {
    const { run, sink, offeredTo } = setUp([broken, [refused()], whole], ['a', 'b']);
    await run();
    const [first, second, third] = offeredTo();
    expect(sink.text).toBe('Hello');
    expect([third, third === second]).toEqual([first, false]);
  });

  test('is not retried a second time', async () => {
    const { run, offers } = setUp([broken, broken, whole]);
    await expect(run()).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect(offers).toHaveLength(2);
  });

  test('is not retried once something has reached the client', async () => {
    const { run, offers } = setUp([
      [accepted(), delta('Hel'), failed(true, 'invalid_output')],
      whole,
    ]);
    await expect(run()).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect(offers).toHaveLength(1);
  });
});

describe('a job whose body does not fit the memory for retries', () => {
  const large = () => ({ ...job, body: Buffer.alloc(100_000, ' ') });
  const noRoom = () => new ByteBudget({ maxBytes: 99_999, maxBytesPerOrganization: 99_999 });
  const workers = ['a', 'b', 'c', 'd'];

  test('is offered until a worker accepts it', async () => {
    const { run, sink, offers } = setUp(['no_subscriber', [refused()], whole], workers, noRoom());
    await run(large());
    expect([sink.text, offers.length]).toEqual(['Hello', 3]);
  });

  test('is not retried, because its body is released by then', async () => {
    const { run, offers } = setUp([[accepted()], whole], workers, noRoom());
    const taken = large();
    const running = run(taken);
    await vi.waitUntil(() => offers[0]?.attempt.accepted);
    expect(taken.body).toHaveLength(0);
    offers[0]?.attempt.end({ kind: 'silent' });
    await expect(running).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect(offers).toHaveLength(1);
  });

  test('is refused as busy when a worker returns it', async () => {
    const { run, offers } = setUp([[accepted(), refused()], whole], workers, noRoom());
    await expect(run(large())).rejects.toMatchObject({
      code: 'infrastructure_rate_limit_exceeded',
    });
    expect(offers).toHaveLength(1);
  });

  test('is retried if its body fits, and frees the memory at its end', async () => {
    const room = new ByteBudget({ maxBytes: 100_000, maxBytesPerOrganization: 100_000 });
    const { run, sink, offers } = setUp([[accepted(), failed(true)], whole], workers, room);
    const running = run(large());
    expect(room.bytes).toBe(100_000);
    await running;
    expect([sink.text, offers.length, room.bytes]).toEqual(['Hello', 2, 0]);
  });
});

describe('a worker that failed', () => {
  test('is avoided for some seconds', async () => {
    const { run, candidates, offeredTo } = setUp([[accepted(), failed(true)], whole]);
    await run();
    const next = candidates();
    expect(next).not.toContain(offeredTo()[0]);
    expect(next).toHaveLength(3);
  });

  test('is avoided too if the client had received part of its answer', async () => {
    const { run, candidates, offeredTo } = setUp([[accepted(), delta('Hel'), failed(true)]]);
    await expect(run()).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect(candidates()).not.toContain(offeredTo()[0]);
  });

  test('is not avoided for a job that a second worker fails too', async () => {
    const { run, candidates } = setUp([
      [accepted(), failed(true)],
      [accepted(), failed(true)],
    ]);
    await expect(run()).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect(candidates()).toHaveLength(4);
  });

  test('is avoided even if a second worker fails the job too, unless it succeeded since its last failure', async () => {
    const fails = [accepted(), failed(true)];
    const script = [fails, fails, whole, fails, fails];
    const { run, sink, candidates, offeredTo } = setUp(script, ['a', 'b']);
    await expect(run()).rejects.toMatchObject({ code: 'upstream_unavailable' });
    await run();
    sink.text = '';
    await expect(run()).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect(candidates()).toEqual([offeredTo()[2]]);
  });

  test('is not avoided for several jobs that another worker fails too, if it succeeded a moment before', async () => {
    const fails = [accepted(), failed(true)];
    const { run, sink, fleet, candidates, offeredTo, time } = setUp(
      [whole, fails, fails, fails, fails, fails, fails],
      ['a', 'b'],
    );
    await run();
    sink.text = '';
    const [good] = offeredTo();
    const fail = () => expect(run()).rejects.toMatchObject({ code: 'upstream_unavailable' });
    await fail();
    await fail();
    expect(candidates()).toEqual([good]);
    time.skippedMs = 5_000;
    for (const worker of ['a', 'b']) fleet.update(heartbeatOf(worker));
    await fail();
    // Both workers are penalized, and there is no other one.
    expect(candidates()).toEqual(['a', 'b']);
    fleet.update(heartbeatOf('c'));
    expect(candidates()).toEqual(['c']);
  });

  test('because it was busy is avoided, even if a second worker is busy too', async () => {
    const busy = [accepted(), failed(true, 'upstream_busy')];
    const { run, candidates } = setUp([busy, busy]);
    await expect(run()).rejects.toMatchObject({ code: 'infrastructure_rate_limit_exceeded' });
    expect(candidates()).toHaveLength(2);
  });

  test('because one organization sent too many schemas is not avoided', async () => {
    const { run, candidates } = setUp([[accepted(), failed(true, 'worker_busy')], whole]);
    await run();
    expect(candidates()).toHaveLength(4);
  });

  test('stays avoided for another job that it failed in the meantime', async () => {
    const { run, fleet, candidates, offers, offeredTo, time } = setUp([
      [accepted(), failed(true)],
      [],
    ]);
    const running = run();
    await vi.waitUntil(() => offers.length === 2);
    const [first = ''] = offeredTo();
    time.skippedMs = 1_000;
    fleet.penalize(first, 5_000);
    offers[1]?.attempt.end({
      kind: 'failed',
      reason: 'upstream_unavailable',
      retryable: true,
      retryAfterMs: undefined,
    });
    await expect(running).rejects.toMatchObject({ code: 'upstream_unavailable' });
    const next = candidates();
    expect(next).toHaveLength(3);
    expect(next).not.toContain(first);
  });

  test('because it was full is not avoided', async () => {
    const { run, candidates } = setUp([[refused()], whole]);
    await run();
    expect(candidates()).toHaveLength(4);
  });
});

describe('a job returned because the runtime is down', () => {
  const down = jsonFrame(FrameKind.refused, { reason: 'runtime_down', load });

  test('goes to another worker', async () => {
    const { run, sink, offeredTo } = setUp([[accepted(), down], whole]);
    await run();
    expect(sink.text).toBe('Hello');
    expect(new Set(offeredTo()).size).toBe(2);
  });

  test('waits for the runtime if there is no other worker', async () => {
    const { run, sink, fleet, offeredTo } = setUp([[accepted(), down], whole], ['only']);
    const running = run();
    await expect.poll(() => fleet.waiterCount, { interval: 1 }).toBe(1);
    fleet.update(heartbeatOf('only', { models: [] }));
    fleet.update(heartbeatOf('only'));
    await running;
    expect(sink.text).toBe('Hello');
    expect(offeredTo()).toEqual(['only', 'only']);
    expect(fleet.waiterCount).toBe(0);
  });

  test('waits no longer than the time limit for a slot', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { run, fleet, time } = setUp([[accepted(), down]], ['only']);
    const running = Promise.allSettled([run()]);
    while (fleet.waiterCount === 0) await new Promise((resolve) => setImmediate(resolve));
    time.skippedMs = 30_000;
    vi.advanceTimersByTime(30_000);
    expect(await running).toMatchObject([
      { reason: { code: 'infrastructure_rate_limit_exceeded' } },
    ]);
    expect(fleet.waiterCount).toBe(0);
  });
});

describe('a job that lost its place in a queue', () => {
  const lost = (reason: string) => jsonFrame(FrameKind.refused, { reason, load });
  const nextLook = async (fleet: { readonly waiterCount: number }) => {
    while (fleet.waiterCount === 0) await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(HEARTBEAT_INTERVAL_MS);
  };

  test('because its model was unloaded is offered to another worker', async () => {
    const { run, sink, offeredTo } = setUp([[accepted(), lost('unknown_model')], whole]);
    await run();
    expect(sink.text).toBe('Hello');
    expect(new Set(offeredTo()).size).toBe(2);
  });

  test.each(['runtime_down', 'draining'])(
    'is offered to full workers again if the reason was %s',
    async (reason) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      const full = [refused()];
      const script = [[accepted(), lost(reason)], full, full, full, full, whole];
      const { run, sink, fleet, offers } = setUp(script);
      const running = run();
      await nextLook(fleet);
      await nextLook(fleet);
      await running;
      expect(sink.text).toBe('Hello');
      expect(offers).toHaveLength(6);
    },
  );

  test.each(['runtime_down', 'draining'])(
    'because of %s survives a reconnect of the bus',
    async (reason) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      const { run, sink, fleet, sender } = setUp(
        [[accepted(), lost(reason)], [refused()], whole],
        ['a', 'b'],
      );
      const running = run();
      while (fleet.waiterCount === 0) await new Promise((resolve) => setImmediate(resolve));
      fleet.markAllStale();
      sender.connected = false;
      sender.waitForReconnect = async () => (sender.connected = true);
      // The whole fleet was known before the connection was lost.
      sender.fleetKnown = () =>
        sender.connected ? new Promise(() => undefined) : Promise.resolve();
      await nextLook(fleet);
      await new Promise((resolve) => setImmediate(resolve));
      for (const worker of ['a', 'b']) fleet.update(heartbeatOf(worker));
      await running;
      expect(sink.text).toBe('Hello');
    },
  );

  test('does not wait after another worker has failed it', async () => {
    const script = [[accepted(), lost('draining')], [accepted(), failed(true)], [refused()], whole];
    const { run, fleet, offeredTo } = setUp(script, ['a', 'b', 'c']);
    const running = run();
    for (const first of offeredTo()) fleet.update(heartbeatOf(first, { draining: true }));
    await expect(running).rejects.toMatchObject({ code: 'infrastructure_rate_limit_exceeded' });
    expect(new Set(offeredTo())).toEqual(new Set(['a', 'b', 'c']));
  });

  test('does not wait after another worker returned it because it was full', async () => {
    const full = [refused()];
    const queued = [
      [accepted(), lost('runtime_down')],
      [accepted(), lost('full')],
    ];
    const { run, offers } = setUp([...queued, full, full, full]);
    await expect(run()).rejects.toMatchObject({ code: 'infrastructure_rate_limit_exceeded' });
    expect(offers).toHaveLength(5);
  });

  test('does not wait for a draining worker', async () => {
    const { run, fleet } = setUp([[accepted(), lost('draining')]], ['only']);
    const running = run();
    fleet.update(heartbeatOf('only', { draining: true }));
    await expect(running).rejects.toMatchObject({ code: 'infrastructure_rate_limit_exceeded' });
  });
});

describe('the connection to the bus', () => {
  test('if lost a moment ago is waited for', async () => {
    const { run, sender, sink } = setUp([whole]);
    sender.connected = false;
    sender.waitForReconnect = async () => (sender.connected = true);
    await run();
    expect(sink.text).toBe('Hello');
  });

  test('if it stays lost, the job is refused', async () => {
    const { run, sender, offers } = setUp([whole]);
    sender.connected = false;
    await expect(run()).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(offers).toEqual([]);
  });

  test('if the client disconnects in the meantime, the job ends with that reason', async () => {
    const { run, sender, gone } = setUp([whole]);
    sender.connected = false;
    sender.waitForReconnect = () => new Promise(() => undefined);
    const running = run();
    gone.abort(new Error('gone'));
    await expect(running).rejects.toThrow('gone');
  });

  test('if lost before the first delta, the job is retried on any worker after the reconnect', async () => {
    const { run, sink, offeredTo } = setUp(['disconnect', whole], ['only']);
    await run();
    expect(sink.text).toBe('Hello');
    expect(offeredTo()).toEqual(['only', 'only']);
  });

  test('if lost for longer, the job fails', async () => {
    const { run, sender } = setUp(['disconnect', whole]);
    sender.waitForReconnect = () => Promise.resolve(false);
    await expect(run()).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});
