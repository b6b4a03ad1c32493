import { FrameKind, HEARTBEAT_INTERVAL_MS, jsonFrame } from '@sluice/contracts';
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
import { HeldBytes } from './held-bytes.ts';

describe('a job', () => {
  test.each([
    ['fails in a way that another may cure', [accepted(), failed(true)]],
    [
      'sends what cannot be read',
      [accepted(), { kind: FrameKind.finished, body: Buffer.from('{') }],
    ],
  ])('is retried once when its worker %s before the first delta', async (_case, behaviour) => {
    const { run, sink, offeredTo } = setUp([behaviour, whole]);
    await run();
    expect([sink.text, sink.restarts]).toEqual(['Hello', 1]);
    expect(new Set(offeredTo()).size).toBe(2);
  });

  test('is retried on a worker that had no room for it at first, when there is no other', async () => {
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
    ['a reason of next year', 'upstream_unavailable'],
  ])('that fails for good with %s is told as %s, and not retried', async (reason, code) => {
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
    ['hands it back', [accepted(), delta('Hel'), refused()]],
    ['never said that it took it', [delta('Hel')]],
  ])('is not offered again either when a worker that has answered %s', async (_case, behaviour) => {
    const { run, sink, offers } = setUp([behaviour, whole]);
    await expect(run()).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect([sink.text, sink.restarts, offers.length]).toEqual(['Hel', 0, 1]);
  });

  test('is retried although it ran for longer than jobs may wait for a slot', async () => {
    const { run, sink, offers, fleet, time } = setUp([[accepted(), started()], whole]);
    const running = run();
    await vi.waitUntil(() => offers[0]?.attempt.accepted);
    time.skippedMs = 40_000;
    for (const worker of ['a', 'b', 'c', 'd']) fleet.heard(heartbeatOf(worker));
    offers[0]?.attempt.end({ kind: 'silent' });
    await running;
    expect(sink.text).toBe('Hello');
    // All of it again, but for what the test itself took.
    expect(offers[1]?.header.queue_ms).toBeGreaterThan(29_000);
    expect(offers[1]?.header.queue_ms).toBeLessThanOrEqual(30_000);
  });
});

describe('a job whose reply broke a promise', () => {
  const broken = [accepted(), failed(true, 'invalid_output')];

  test('is retried once, on another worker, and no worker is avoided for it', async () => {
    const { run, sink, offeredTo, candidates } = setUp([broken, whole], ['a', 'b']);
    await run();
    expect([sink.text, sink.restarts]).toEqual(['Hello', 1]);
    expect(new Set(offeredTo())).toEqual(new Set(['a', 'b']));
    expect(candidates()).toHaveLength(2);
  });

  test('is retried on the same worker where there is no other', async () => {
    const { run, sink, offeredTo } = setUp([broken, whole], ['only']);
    await run();
    expect(sink.text).toBe('Hello');
    expect(offeredTo()).toEqual(['only', 'only']);
  });

  test('is retried on the same worker where the others have no room', async () => {
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

describe('a job whose body there is no room to keep', () => {
  const large = () => ({ ...job, body: Buffer.alloc(100_000, ' ') });
  const noRoom = () => new HeldBytes({ mostBytes: 99_999, mostBytesOfOne: 99_999 });
  const workers = ['a', 'b', 'c', 'd'];

  test('is offered until a worker has it', async () => {
    const { run, sink, offers } = setUp(['nobody', [refused()], whole], workers, noRoom());
    await run(large());
    expect([sink.text, offers.length]).toEqual(['Hello', 3]);
  });

  test('is not retried, since its body is gone by then', async () => {
    const { run, offers } = setUp([[accepted()], whole], workers, noRoom());
    const taken = large();
    const running = run(taken);
    await vi.waitUntil(() => offers[0]?.attempt.accepted);
    expect(taken.body).toHaveLength(0);
    offers[0]?.attempt.end({ kind: 'silent' });
    await expect(running).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect(offers).toHaveLength(1);
  });

  test('is told that there is no room for it when it is handed back', async () => {
    const { run, offers } = setUp([[accepted(), refused()], whole], workers, noRoom());
    await expect(run(large())).rejects.toMatchObject({
      code: 'infrastructure_rate_limit_exceeded',
    });
    expect(offers).toHaveLength(1);
  });

  test('is retried when there is room, which is free again at its end', async () => {
    const room = new HeldBytes({ mostBytes: 100_000, mostBytesOfOne: 100_000 });
    const { run, sink, offers } = setUp([[accepted(), failed(true)], whole], workers, room);
    const running = run(large());
    expect(room.bytes).toBe(100_000);
    await running;
    expect([sink.text, offers.length, room.bytes]).toEqual(['Hello', 2, 0]);
  });
});

describe('a worker that failed', () => {
  test('is left alone for some seconds', async () => {
    const { run, candidates, offeredTo } = setUp([[accepted(), failed(true)], whole]);
    await run();
    const next = candidates();
    expect(next).not.toContain(offeredTo()[0]);
    expect(next).toHaveLength(3);
  });

  test('is left alone too when the client had seen a part of its answer', async () => {
    const { run, candidates, offeredTo } = setUp([[accepted(), delta('Hel'), failed(true)]]);
    await expect(run()).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect(candidates()).not.toContain(offeredTo()[0]);
  });

  test('is not left alone for a job that a second one fails too', async () => {
    const { run, candidates } = setUp([
      [accepted(), failed(true)],
      [accepted(), failed(true)],
    ]);
    await expect(run()).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect(candidates()).toHaveLength(4);
  });

  test('is left alone for such a job too, unless it has ended one well since it failed last', async () => {
    const fails = [accepted(), failed(true)];
    const script = [fails, fails, whole, fails, fails];
    const { run, sink, candidates, offeredTo } = setUp(script, ['a', 'b']);
    await expect(run()).rejects.toMatchObject({ code: 'upstream_unavailable' });
    await run();
    sink.text = '';
    await expect(run()).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect(candidates()).toEqual([offeredTo()[2]]);
  });

  test('is left alone for none of several such jobs, if it has ended one well a moment before', async () => {
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
    for (const worker of ['a', 'b']) fleet.heard(heartbeatOf(worker));
    await fail();
    // Both, since there is no other.
    expect(candidates()).toEqual(['a', 'b']);
    fleet.heard(heartbeatOf('c'));
    expect(candidates()).toEqual(['c']);
  });

  test('for being busy is left alone, though a second one is busy too', async () => {
    const busy = [accepted(), failed(true, 'upstream_busy')];
    const { run, candidates } = setUp([busy, busy]);
    await expect(run()).rejects.toMatchObject({ code: 'infrastructure_rate_limit_exceeded' });
    expect(candidates()).toHaveLength(2);
  });

  test('for having no time for the schemas of one organization is not', async () => {
    const { run, candidates } = setUp([[accepted(), failed(true, 'worker_busy')], whole]);
    await run();
    expect(candidates()).toHaveLength(4);
  });

  test('is still left alone for the job of another that it failed meanwhile', async () => {
    const { run, fleet, candidates, offers, offeredTo, time } = setUp([
      [accepted(), failed(true)],
      [],
    ]);
    const running = run();
    await vi.waitUntil(() => offers.length === 2);
    const [first = ''] = offeredTo();
    time.skippedMs = 1_000;
    fleet.leaveAlone(first, 5_000);
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

  test('by being full is not', async () => {
    const { run, candidates } = setUp([[refused()], whole]);
    await run();
    expect(candidates()).toHaveLength(4);
  });
});

describe('a job handed back because its runtime is down', () => {
  const down = jsonFrame(FrameKind.refused, { reason: 'runtime_down', load });

  test('goes to another worker', async () => {
    const { run, sink, offeredTo } = setUp([[accepted(), down], whole]);
    await run();
    expect(sink.text).toBe('Hello');
    expect(new Set(offeredTo()).size).toBe(2);
  });

  test('waits for the runtime where there is no other', async () => {
    const { run, sink, fleet, offeredTo } = setUp([[accepted(), down], whole], ['only']);
    const running = run();
    await expect.poll(() => fleet.awaitedBy, { interval: 1 }).toBe(1);
    fleet.heard(heartbeatOf('only', { models: [] }));
    fleet.heard(heartbeatOf('only'));
    await running;
    expect(sink.text).toBe('Hello');
    expect(offeredTo()).toEqual(['only', 'only']);
    expect(fleet.awaitedBy).toBe(0);
  });

  test('waits for no longer than jobs may', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { run, fleet, time } = setUp([[accepted(), down]], ['only']);
    const running = Promise.allSettled([run()]);
    while (fleet.awaitedBy === 0) await new Promise((resolve) => setImmediate(resolve));
    time.skippedMs = 30_000;
    vi.advanceTimersByTime(30_000);
    expect(await running).toMatchObject([
      { reason: { code: 'infrastructure_rate_limit_exceeded' } },
    ]);
    expect(fleet.awaitedBy).toBe(0);
  });
});

describe('a job whose place in a queue was lost', () => {
  const lost = (reason: string) => jsonFrame(FrameKind.refused, { reason, load });
  const nextLook = async (fleet: { readonly awaitedBy: number }) => {
    while (fleet.awaitedBy === 0) await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(HEARTBEAT_INTERVAL_MS);
  };

  test('because its model was unloaded, goes to another worker', async () => {
    const { run, sink, offeredTo } = setUp([[accepted(), lost('unknown_model')], whole]);
    await run();
    expect(sink.text).toBe('Hello');
    expect(new Set(offeredTo()).size).toBe(2);
  });

  test.each(['runtime_down', 'draining'])(
    'asks those who were full again, if it was lost by %s',
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

  test.each(['runtime_down', 'draining'])('by %s outlives a loss of the bus', async (reason) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { run, sink, fleet, carrier } = setUp(
      [[accepted(), lost(reason)], [refused()], whole],
      ['a', 'b'],
    );
    const running = run();
    while (fleet.awaitedBy === 0) await new Promise((resolve) => setImmediate(resolve));
    fleet.doubtAll();
    carrier.connected = false;
    carrier.reconnected = async () => (carrier.connected = true);
    // Everybody had been heard, before it was lost.
    carrier.fleetHeard = () =>
      carrier.connected ? new Promise(() => undefined) : Promise.resolve();
    await nextLook(fleet);
    await new Promise((resolve) => setImmediate(resolve));
    for (const worker of ['a', 'b']) fleet.heard(heartbeatOf(worker));
    await running;
    expect(sink.text).toBe('Hello');
  });

  test('does not wait once somebody else has failed it', async () => {
    const script = [[accepted(), lost('draining')], [accepted(), failed(true)], [refused()], whole];
    const { run, fleet, offeredTo } = setUp(script, ['a', 'b', 'c']);
    const running = run();
    for (const first of offeredTo()) fleet.heard(heartbeatOf(first, { draining: true }));
    await expect(running).rejects.toMatchObject({ code: 'infrastructure_rate_limit_exceeded' });
    expect(new Set(offeredTo())).toEqual(new Set(['a', 'b', 'c']));
  });

  test('does not wait once it had to leave the queue of another for others', async () => {
    const full = [refused()];
    const queued = [
      [accepted(), lost('runtime_down')],
      [accepted(), lost('full')],
    ];
    const { run, offers } = setUp([...queued, full, full, full]);
    await expect(run()).rejects.toMatchObject({ code: 'infrastructure_rate_limit_exceeded' });
    expect(offers).toHaveLength(5);
  });

  test('does not wait for the one that drains', async () => {
    const { run, fleet } = setUp([[accepted(), lost('draining')]], ['only']);
    const running = run();
    fleet.heard(heartbeatOf('only', { draining: true }));
    await expect(running).rejects.toMatchObject({ code: 'infrastructure_rate_limit_exceeded' });
  });
});

describe('the connection to the bus', () => {
  test('lost a moment ago, a job waits for it', async () => {
    const { run, carrier, sink } = setUp([whole]);
    carrier.connected = false;
    carrier.reconnected = async () => (carrier.connected = true);
    await run();
    expect(sink.text).toBe('Hello');
  });

  test('without it a job is refused', async () => {
    const { run, carrier, offers } = setUp([whole]);
    carrier.connected = false;
    await expect(run()).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(offers).toEqual([]);
  });

  test('a client that leaves meanwhile is told apart from its loss', async () => {
    const { run, carrier, gone } = setUp([whole]);
    carrier.connected = false;
    carrier.reconnected = () => new Promise(() => undefined);
    const running = run();
    gone.abort(new Error('gone'));
    await expect(running).rejects.toThrow('gone');
  });

  test('lost before the first delta, the job is retried when it is back, on any worker', async () => {
    const { run, sink, offeredTo } = setUp(['disconnect', whole], ['only']);
    await run();
    expect(sink.text).toBe('Hello');
    expect(offeredTo()).toEqual(['only', 'only']);
  });

  test('lost for longer, the job fails', async () => {
    const { run, carrier } = setUp(['disconnect', whole]);
    carrier.reconnected = () => Promise.resolve(false);
    await expect(run()).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});
