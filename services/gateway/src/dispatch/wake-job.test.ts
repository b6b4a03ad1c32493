import { FrameKind, ServiceError, jsonFrame } from '@sluice/contracts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { heartbeatOf } from '../fleet/heartbeat-fixture.ts';
import { accepted, job, load, refused, setUp, whole } from './dispatch-fixture.ts';

const { examined } = job;
const jobWithWakeTimeout = () => ({
  ...job,
  examined: { ...examined, model: { ...examined.model, wake_timeout: 60 } },
});
const busy = { code: 'infrastructure_rate_limit_exceeded' };
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

const TIMERS = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const;

beforeEach(() => void vi.useFakeTimers({ toFake: [...TIMERS] }));
afterEach(() => void vi.useRealTimers());

async function errorOf(running: Promise<void>): Promise<ServiceError> {
  return running.then(
    () => {
      throw new Error('the job was served');
    },
    (error: unknown) => ServiceError.from(error),
  );
}

/** Advances the timers and the clock of the gateway. */
async function pass(time: { skippedMs: number }, ms: number): Promise<void> {
  // The job may first have to find out that there is no worker.
  await turn();
  time.skippedMs += ms;
  vi.advanceTimersByTime(ms);
  await turn();
  await turn();
}

describe('a job of a pool without workers', () => {
  test('is refused at once if its model has no wake timeout', async () => {
    const { run, wakes, demand } = setUp([], []);
    await expect(run()).rejects.toMatchObject({ ...busy, retryAfterMs: 1_000 });
    expect(wakes.size).toBe(0);
    expect(demand.read()).toMatchObject([{ pool: 'default', slots: 0, unserved: 1 }]);
  });

  test('waits for the first worker and is answered by it', async () => {
    const { run, wakes, demand, fleet, sink, offers, time } = setUp([whole], []);
    demand.notePools(['default']);
    const running = run(jobWithWakeTimeout());
    await pass(time, 59_000);
    expect(demand.read()).toMatchObject([{ pool: 'default', waiting: 1, slots: 0, unserved: 0 }]);
    expect(sink.text).toBe('');
    fleet.update(heartbeatOf('default.a'));
    await running;
    expect(sink.text).toBe('Hello');
    expect(wakes.size).toBe(0);
    // The job may wait for a slot as long as any other job.
    expect(offers[0]?.header.queue_ms).toBeGreaterThan(29_900);
  });

  test('has what is left of the wake timeout to get a slot', async () => {
    const { run, fleet, offers, time } = setUp([whole], []);
    const running = run(jobWithWakeTimeout());
    await pass(time, 10_000);
    fleet.update(heartbeatOf('default.a'));
    await running;
    expect(offers[0]?.header.queue_ms).toBeGreaterThan(49_000);
  });

  test('follows at once when another job of this gateway frees a slot', async () => {
    const { run, fleet, wakes } = setUp([whole, whole], []);
    const running = [run(jobWithWakeTimeout()), run(jobWithWakeTimeout())];
    await turn();
    fleet.update(
      heartbeatOf('default.a', { load: { slots: 1, running: 0, queued: 0, queue_limit: 0 } }),
    );
    expect(wakes.size).toBe(1);
    // No timer has to run.
    await Promise.all(running);
    expect(wakes.size).toBe(0);
  });

  test('that the first worker refuses waits for room or for another one', async () => {
    const { run, fleet, sink, offeredTo, time } = setUp([[refused()], [refused()], whole], []);
    const running = run(jobWithWakeTimeout());
    await turn();
    fleet.update(heartbeatOf('default.a'));
    await pass(time, 0);
    expect(offeredTo()).toHaveLength(1);
    fleet.update(heartbeatOf('default.a'));
    await pass(time, 1_000);
    expect(offeredTo()).toHaveLength(2);
    fleet.update(heartbeatOf('default.b'));
    await running;
    expect(sink.text).toBe('Hello');
  });

  test('is refused when the time is over, and counts as unserved', async () => {
    const { run, wakes, demand, offers, time } = setUp([], []);
    const failure = errorOf(run(jobWithWakeTimeout()));
    await pass(time, 60_000);
    expect(await failure).toMatchObject({ ...busy, retryAfterMs: 1_000 });
    expect([offers.length, wakes.size]).toEqual([0, 0]);
    expect(demand.read()).toMatchObject([{ waiting: 0, unserved: 1 }]);
    await pass(time, 66_000);
    expect(demand.read()).toMatchObject([{ pool: 'default', unserved: 0 }]);
  });

  test('is refused with the time until the worker is expected', async () => {
    const { run, fleet, time } = setUp([whole], []);
    const first = run(jobWithWakeTimeout());
    await pass(time, 45_000);
    fleet.update(heartbeatOf('default.a'));
    await first;
    await pass(time, 10_000);
    expect((await errorOf(run())).retryAfterMs).toBeGreaterThanOrEqual(45_000);
  });

  test('frees its place when its client leaves', async () => {
    const { run, wakes, gone, fleet, offers } = setUp([whole], []);
    const running = run(jobWithWakeTimeout());
    await turn();
    expect(wakes.size).toBe(1);
    const left = new Error('left');
    gone.abort(left);
    await expect(running).rejects.toBe(left);
    expect([wakes.size, fleet.waiterCount]).toEqual([0, 0]);
    fleet.update(heartbeatOf('default.a'));
    await turn();
    expect(offers).toHaveLength(0);
  });

  test('is refused at once when too many wait', async () => {
    const { run, wakes, gone } = setUp([], []);
    // The fixture has room for 8 requests, and for 2 of one organization.
    const waiting = [run(jobWithWakeTimeout()), run(jobWithWakeTimeout())].map((each) =>
      each.catch(() => undefined),
    );
    await turn();
    await expect(run(jobWithWakeTimeout())).rejects.toMatchObject(busy);
    expect(wakes.size).toBe(2);
    gone.abort();
    await Promise.all(waiting);
  });

  test('is refused at once if the runtimes of the pool lack the model', async () => {
    const { run, fleet } = setUp([], []);
    const running = run(jobWithWakeTimeout());
    await turn();
    fleet.update(heartbeatOf('default.a', { models: ['small'] }));
    await expect(running).rejects.toMatchObject({ code: 'upstream_model_missing' });
  });

  test('waits while the only worker drains', async () => {
    const { run, fleet, sink } = setUp([whole], []);
    fleet.update(heartbeatOf('default.a', { draining: true }));
    const running = run(jobWithWakeTimeout());
    await turn();
    expect(sink.text).toBe('');
    fleet.update(heartbeatOf('default.b'));
    await running;
    expect(sink.text).toBe('Hello');
  });

  test('that the last worker returns from its queue waits for the next one', async () => {
    const returned = jsonFrame(FrameKind.refused, { reason: 'draining', load });
    const { run, fleet, sink, wakes, offeredTo } = setUp([[accepted(), returned], whole], ['a']);
    const running = run(jobWithWakeTimeout());
    fleet.update(heartbeatOf('a', { draining: true }));
    await vi.waitFor(() => expect(wakes.size).toBe(1));
    fleet.update(heartbeatOf('b'));
    await running;
    expect([sink.text, offeredTo()]).toEqual(['Hello', ['a', 'b']]);
  });

  test('is refused as unavailable if the bus is disconnected when the time is over', async () => {
    const { run, sender, time } = setUp([], []);
    const failure = errorOf(run(jobWithWakeTimeout()));
    await turn();
    sender.connected = false;
    await pass(time, 60_000);
    expect(await failure).toMatchObject({ code: 'service_unavailable' });
  });
});

test('a job of a pool with a full worker is refused at once, with a wake timeout too', async () => {
  const { run, wakes } = setUp([[refused()]], ['a']);
  await expect(run(jobWithWakeTimeout())).rejects.toMatchObject(busy);
  expect(wakes.size).toBe(0);
});
