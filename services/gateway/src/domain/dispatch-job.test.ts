import {
  FrameKind,
  decodeJob,
  encodeFrames,
  frame,
  jsonFrame,
  readFrames,
  type Frame,
  type JobHeader,
} from '@sluice/contracts';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { AttemptCarrier } from './attempt-carrier.ts';
import type { Attempt } from './attempt.ts';
import type { CompletionJob } from './completion-job.ts';
import type { CompletionSink } from './completion-sink.ts';
import { Dispatcher } from './dispatch-job.ts';
import { FleetTable } from './fleet-table.ts';
import { heartbeatOf } from './heartbeat-fixture.ts';

const load = { slots: 4, running: 1, queued: 0, queue_limit: 4 };
const accepted = () => jsonFrame(FrameKind.accepted, { load });
const started = () => frame(FrameKind.started);
const delta = (text: string) => jsonFrame(FrameKind.delta, { content: text });
const finished = () => jsonFrame(FrameKind.finished, { finish_reason: 'stop', load });
const refused = (retryAfterMs?: number) =>
  jsonFrame(FrameKind.refused, { reason: 'full', load, retry_after_ms: retryAfterMs });
const failed = (retryable: boolean, reason = 'upstream_unavailable') =>
  jsonFrame(FrameKind.failed, { reason, retryable });

const job: CompletionJob = {
  requestId: 'request',
  principal: {
    organization: 'acme',
    project: 'default',
    credentialId: 'key',
    retention: 'zero',
    limits: {
      requests_per_minute: null,
      requests_per_day: null,
      tokens_per_minute: null,
      tokens_per_day: null,
    },
    limitsRevision: { epoch: 1, sequence: 1 },
    expiresAtMs: undefined,
    accessRefusal: undefined,
    billingRefusal: undefined,
  },
  examined: {
    model: {
      id: 'acme/large',
      object: 'model',
      created: 0,
      owned_by: 'acme',
      shutdown_date: null,
      context_length: 100,
      pool: 'default',
      runtime_model: 'large',
      reasoning_history: 'optional',
      input_token_ratio: 0.25,
    },
    stream: true,
    includeUsage: false,
    includeObfuscation: false,
    maxOutputTokens: 20,
    outputBoundRequested: true,
    reasoningEffort: undefined,
    inputTokens: 1,
    affinity: 7,
  },
  body: Buffer.from('{}'),
};

class RecordingSink implements CompletionSink {
  text = '';
  restarts = 0;
  reason: string | undefined;
  get delivered(): boolean {
    return this.text !== '';
  }
  started(): void {
    // Of no interest here.
  }
  delta(body: Uint8Array): void {
    this.text += (JSON.parse(Buffer.from(body).toString('utf8')) as { content: string }).content;
  }
  usage(): void {
    // Of no interest here.
  }
  restart(): void {
    this.restarts += 1;
  }
  finish(reason: string): void {
    this.reason = reason;
  }
}

/** What the worker of each offer sends, in the order of the offers; no frames: it is silent. */
type Script = readonly (readonly Frame[] | 'nobody' | 'disconnect')[];

function setUp(script: Script, workers = ['a', 'b', 'c', 'd']) {
  const time = { skippedMs: 0 };
  const clock = () => performance.now() + time.skippedMs;
  const fleet = new FleetTable(clock);
  for (const worker of workers) fleet.heard(heartbeatOf(worker));
  const offers: { worker: string; header: JobHeader; name: string; attempt: Attempt }[] = [];
  const ends: string[] = [];
  const carrier: AttemptCarrier & { connected: boolean } = {
    connected: true,
    offer(attempt: Attempt, payload: Uint8Array): void {
      const behaviour = script[offers.length] ?? [];
      offers.push({
        worker: attempt.worker,
        header: decodeJob(payload).header,
        name: attempt.name,
        attempt,
      });
      void attempt.ended.then(({ kind }) => ends.push(kind));
      if (behaviour === 'nobody') attempt.end({ kind: 'nobody_listens' });
      else if (behaviour === 'disconnect') attempt.end({ kind: 'disconnected' });
      else setImmediate(() => readFrames(encodeFrames(0, behaviour), attempt.visit));
    },
    reconnected: () => Promise.resolve(carrier.connected),
    fleetHeard: () => Promise.resolve(),
  };
  const dispatcher = new Dispatcher({
    gateway: 'gateway',
    fleet,
    carrier,
    clock,
    random: () => 0,
    queueMs: 30_000,
    runMs: 60_000,
  });
  const sink = new RecordingSink();
  const gone = new AbortController();
  return {
    sink,
    offers,
    ends,
    gone,
    fleet,
    carrier,
    dispatcher,
    time,
    run: (taken = { ...job }) => dispatcher.dispatch(taken, sink, { signal: gone.signal }),
    offeredTo: () => offers.map(({ worker }) => worker),
  };
}

const whole = [accepted(), started(), delta('Hello'), finished()];

describe('a job', () => {
  test('goes to one worker and comes back whole', async () => {
    const { run, sink, offers } = setUp([whole]);
    await run();
    expect([sink.text, sink.reason]).toEqual(['Hello', 'stop']);
    expect(offers).toHaveLength(1);
    expect(offers[0]?.header).toMatchObject({
      gateway: 'gateway',
      request: 'request',
      attempt: 1,
      model: 'acme/large',
      runtime_model: 'large',
      max_output_tokens: 20,
      output_bound_requested: true,
      context_length: 100,
    });
  });

  test.each([
    ['refused', [refused()]],
    ['not heard of in time', []],
    ['for nobody', 'nobody' as const],
  ])('is offered to another worker when it is %s', async (_case, behaviour) => {
    const { run, sink, offeredTo } = setUp([behaviour, whole]);
    await run();
    expect(sink.text).toBe('Hello');
    expect(new Set(offeredTo()).size).toBe(2);
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
    const { run, offers, fleet } = setUp([whole, whole]);
    const running = run();
    // The answer has come, and the timer's turn is first.
    vi.advanceTimersByTime(10_000);
    await running;
    expect(offers).toHaveLength(1);
    expect(fleet.get(offers[0]?.worker ?? '')?.restsUntil).toBe(0);
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

  test('that a draining worker hands back begins its search anew', async () => {
    const script = [[refused()], [accepted(), refused()], [refused()], [refused()], whole];
    const { run, sink, offers } = setUp(script, ['a', 'b', 'c', 'd', 'e', 'f']);
    await run();
    expect(sink.text).toBe('Hello');
    expect(offers.map(({ header }) => header.attempt)).toEqual([1, 2, 3, 4, 5]);
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
    ['queue_timeout', 'infrastructure_rate_limit_exceeded'],
    ['upstream_busy', 'infrastructure_rate_limit_exceeded'],
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

test('jobs that come at the same moment see each other', async () => {
  const { dispatcher, sink, fleet, offeredTo } = setUp(
    Array.from({ length: 8 }, () => [accepted()]),
  );
  const gone = new AbortController();
  const running = Array.from({ length: 8 }, async () =>
    dispatcher.dispatch(job, sink, { signal: gone.signal }),
  );
  const counts = ['a', 'b', 'c', 'd'].map((id) => fleet.get(id)?.offered ?? 0);
  expect(offeredTo()).toHaveLength(8);
  expect(Math.max(...counts)).toBeLessThanOrEqual(3);
  gone.abort(new Error('gone'));
  await Promise.allSettled(running);
});

describe('a worker that failed', () => {
  test('is left alone for some seconds', async () => {
    const { run, fleet, offeredTo } = setUp([[accepted(), failed(true)], whole]);
    await run();
    const model = { pool: 'default', runtime_model: 'large' };
    const next = fleet.candidates(model, new Set()).map(({ id }) => id);
    expect(next).not.toContain(offeredTo()[0]);
    expect(next).toHaveLength(3);
  });

  test('is left alone too when the client had seen a part of its answer', async () => {
    const { run, fleet, offeredTo } = setUp([[accepted(), delta('Hel'), failed(true)]]);
    await expect(run()).rejects.toMatchObject({ code: 'upstream_unavailable' });
    const model = { pool: 'default', runtime_model: 'large' };
    const next = fleet.candidates(model, new Set()).map(({ id }) => id);
    expect(next).not.toContain(offeredTo()[0]);
  });

  test('by being full is not', async () => {
    const { run, fleet } = setUp([[refused()], whole]);
    await run();
    const model = { pool: 'default', runtime_model: 'large' };
    expect(fleet.candidates(model, new Set())).toHaveLength(4);
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

describe('the connection to the bus', () => {
  test('without it a job is refused at once', async () => {
    const { run, carrier, offers } = setUp([whole]);
    carrier.connected = false;
    await expect(run()).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(offers).toEqual([]);
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
    const { run, gone, fleet, offeredTo } = setUp([[]]);
    const running = run();
    await Promise.resolve();
    expect(fleet.get(offeredTo()[0] ?? '')?.offered).toBe(1);
    gone.abort(new Error('gone'));
    await expect(running).rejects.toThrow('gone');
    expect(fleet.get(offeredTo()[0] ?? '')?.offered).toBe(0);
  });
});
