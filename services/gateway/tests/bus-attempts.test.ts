import { connectBus, type Bus } from '@sluice/bus';
import {
  CONTRACT_VERSION,
  FrameKind,
  GATEWAY_INQUIRY,
  encodeFrames,
  encodeJob,
  jsonFrame,
  mintProcessId,
  subjectsUnder,
  type Subjects,
} from '@sluice/contracts';
import { useLeakCheck, useNats, waitUntil } from '@sluice/devkit';
import { createLogger } from '@sluice/service';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AttemptEnd } from '../src/dispatch/attempt-end.ts';
import { AttemptSender } from '../src/dispatch/attempt-sender.ts';
import { AttemptTable } from '../src/dispatch/attempt-table.ts';
import type { Attempt } from '../src/dispatch/attempt.ts';
import { Cancellations } from '../src/dispatch/cancellations.ts';
import { RecordingSink, attemptOf } from '../src/dispatch/dispatch-fixture.ts';
import { WorkerLiveness } from '../src/dispatch/worker-liveness.ts';
import { WorkerDouble, type DoubleJob } from './worker-double.ts';
import { accepted, delta, finished } from './worker-frames.ts';

useLeakCheck();
const nats = useNats({ own: true });
const logger = createLogger({ service: 'test', level: 'silent' });

interface Parts {
  readonly subjects: Subjects;
  readonly gatewayBus: Bus;
  readonly workerBus: Bus;
  readonly cancellations: Cancellations;
  readonly attempts: AttemptTable;
  readonly sender: AttemptSender;
  readonly gateway: string;
}

let parts: Parts;
/** How many milliseconds the clock of the attempts is ahead. */
let ahead = 0;
let stack: AsyncDisposableStack;

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  const subjects = subjectsUnder(`test${mintProcessId()}`);
  const connect = async () =>
    stack.use(await connectBus({ servers: [nats.url], name: 'test', logger }));
  const gatewayBus = await connect();
  const workerBus = await connect();
  const gateway = mintProcessId();
  const clock = () => performance.now();
  const nameOf = (worker: string) => worker;
  const cancellations = stack.use(
    new Cancellations({ bus: gatewayBus, subjects, nameOf, logger, clock }),
  );
  ahead = 0;
  const attempts = stack.use(
    new AttemptTable({
      bus: gatewayBus,
      subjects,
      gateway,
      cancellations,
      clock: () => clock() + ahead,
    }),
  );
  const sender = stack.use(
    new AttemptSender({ bus: gatewayBus, subjects, gateway, attempts, clock }),
  );
  await gatewayBus.flush();
  parts = { subjects, gatewayBus, workerBus, cancellations, attempts, sender, gateway };
});

afterEach(async () => {
  await stack.disposeAsync();
});

async function startDouble(options: {
  onJob: (job: DoubleJob) => void;
  acknowledges?: () => boolean;
}): Promise<WorkerDouble> {
  const { workerBus: bus, subjects } = parts;
  const double = stack.use(
    new WorkerDouble({ bus, subjects, id: 'worker', announces: false, ...options }),
  );
  await bus.flush();
  return double;
}

const realClock = () => performance.now();

function offer(sink = new RecordingSink()): Attempt {
  const { attempt } = attemptOf({
    name: `request-${mintProcessId()}`,
    worker: 'worker',
    sink,
    clock: realClock,
  });
  const job = encodeJob(
    {
      contract: CONTRACT_VERSION,
      gateway: parts.gateway,
      request: 'request',
      attempt: 1,
      organization: 'acme',
      project: 'default',
      model: 'large',
      runtime_model: 'large',
      stream: true,
      output_bound_requested: false,
      estimated_input_tokens: 10,
      reasoning_history: 'optional',
      queue_ms: 1,
      run_ms: 1,
    },
    Buffer.from('{}'),
  );
  parts.sender.offer(attempt, job, {});
  return attempt;
}

describe('an attempt over the bus', () => {
  test('receives its frames in order', async () => {
    await startDouble({
      onJob: (job) => {
        job.send(accepted(), delta({ content: 'a' }));
        job.send(delta({ content: 'b' }), finished());
      },
    });
    const sink = new RecordingSink();
    const attempt = offer(sink);
    expect(await attempt.ended).toEqual({ kind: 'finished', finishReason: 'stop' });
    expect(sink.text).toBe('ab');
    expect(parts.attempts.size).toBe(0);
    expect(parts.cancellations.size).toBe(0);
  });

  test('at a dead worker ends at once', async () => {
    const attempt = offer();
    expect(await attempt.ended).toEqual({ kind: 'nobody_listens' });
    expect(parts.cancellations.size).toBe(0);
  });

  test('with bytes that are not frames ends as malformed and is cancelled', async () => {
    const { subjects, workerBus, gateway } = parts;
    const double = await startDouble({
      onJob: () => workerBus.publish(subjects.delta(gateway, attempt.name), Buffer.from('junk')),
    });
    const attempt: Attempt = offer();
    expect(await attempt.ended).toEqual({ kind: 'malformed' });
    await waitUntil(() => double.cancels.includes(attempt.name), { what: 'the cancel' });
  });
});

describe('a cancel', () => {
  test('is repeated until it is acknowledged', async () => {
    let heard = 0;
    const double = await startDouble({
      onJob: (job) => job.send(accepted()),
      acknowledges: () => {
        heard += 1;
        return heard >= 3;
      },
    });
    const attempt = offer();
    await waitUntil(() => attempt.accepted, { what: 'the worker to accept' });
    attempt.end({ kind: 'left' });
    await waitUntil(() => double.cancels.length === 3, { what: 'three cancels' });
    await parts.cancellations.settled();
    expect(double.cancels).toEqual([attempt.name, attempt.name, attempt.name]);
  });

  test('is sent again for frames of an aborted attempt', async () => {
    const jobs: DoubleJob[] = [];
    const double = await startDouble({ onJob: (job) => jobs.push(job) });
    const attempt = offer();
    await waitUntil(() => jobs.length === 1, { what: 'the job' });
    attempt.end({ kind: 'unanswered' });
    await waitUntil(() => double.cancels.length === 1, { what: 'the first cancel' });
    await parts.cancellations.settled();
    parts.workerBus.publish(
      parts.subjects.delta(parts.gateway, attempt.name),
      encodeFrames(0, [jsonFrame(FrameKind.tick, {})]),
    );
    await waitUntil(() => double.cancels.length === 2, { what: 'the second cancel' });
    expect(new Set(double.cancels)).toEqual(new Set([attempt.name]));
  });

  test('is remembered for some minutes at most', async () => {
    await startDouble({ onJob: (job) => job.send(accepted()) });
    const attempt = offer();
    await waitUntil(() => attempt.accepted, { what: 'the worker to accept' });
    attempt.end({ kind: 'left' });
    await waitUntil(() => parts.cancellations.size === 0, { what: 'the acknowledgement' });
    expect([parts.attempts.size, parts.attempts.recentlyAbortedCount]).toEqual([0, 1]);
    ahead = 10 * 60_000;
    await waitUntil(() => parts.attempts.recentlyAbortedCount === 0, {
      what: 'the attempt to be forgotten',
    });
  });

  test('to a dead worker is given up', async () => {
    parts.cancellations.cancel('nobody', 'request-1');
    expect(parts.cancellations.size).toBe(1);
    await parts.cancellations.settled();
    expect(parts.cancellations.size).toBe(0);
  });
});

test('an inquiry of a worker is answered', async () => {
  const { subjects, workerBus, gateway } = parts;
  const subject = subjects.delta(gateway, GATEWAY_INQUIRY);
  const { data } = await workerBus.request(subject, Buffer.alloc(0), { timeoutMs: 2_000 });
  expect(data).toHaveLength(0);
});

describe('a worker whose heartbeat', () => {
  /** Counts how often the worker was checked. */
  function watchWorkers(isLate: (worker: string) => boolean): { checks: number } {
    const seen = { checks: 0 };
    const fleet = {
      isLate: (worker: string) => {
        seen.checks += 1;
        return isLate(worker);
      },
    };
    const { gatewayBus: bus, subjects, attempts } = parts;
    stack.use(new WorkerLiveness({ bus, subjects, fleet, attempts }));
    return seen;
  }

  async function acceptedAttempt(): Promise<Attempt> {
    const attempt = offer();
    await waitUntil(() => attempt.accepted, { what: 'the worker to accept' });
    return attempt;
  }

  test('is late loses its attempts if it is dead, and no other worker does', async () => {
    // No attempt can reach the silence limit.
    ahead = -60_000;
    let accepts = true;
    const double = await startDouble({
      onJob: (job) => {
        if (accepts) job.send(accepted());
      },
    });
    const attempts = [await acceptedAttempt(), await acceptedAttempt()];
    accepts = false;
    const unanswered = offer();
    const { attempt: elsewhere } = attemptOf({ worker: 'other worker', clock: realClock });
    parts.attempts.follow(elsewhere);
    await parts.gatewayBus.flush();
    double[Symbol.dispose]();
    await parts.workerBus.flush();
    watchWorkers((worker) => worker === 'worker');
    const ends = await Promise.all([...attempts, unanswered].map(async ({ ended }) => ended));
    expect(ends).toEqual([{ kind: 'silent' }, { kind: 'silent' }, { kind: 'nobody_listens' }]);
    expect(parts.attempts.workers()).toEqual(new Set(['other worker']));
  });

  test('was late keeps its attempts if it arrives before the answer to the probe', async () => {
    const double = await startDouble({ onJob: (job) => job.send(accepted()) });
    await acceptedAttempt();
    double[Symbol.dispose]();
    await parts.workerBus.flush();
    let checks = 0;
    watchWorkers(() => {
      checks += 1;
      return checks === 1;
    });
    await waitUntil(() => checks >= 3, { what: 'a check after the answer' });
    expect(parts.attempts.workers()).toEqual(new Set(['worker']));
  });

  test.each([true, false])(
    'is late keeps its attempts if it still subscribes, even if it does not answer (answers: %s)',
    async (answers) => {
      ahead = -60_000;
      const double = await startDouble({
        onJob: (job) => job.send(accepted()),
        acknowledges: () => answers,
      });
      await acceptedAttempt();
      watchWorkers(() => true);
      await waitUntil(() => double.inquiries >= 2, { what: 'a second inquiry' });
      expect(parts.attempts.workers()).toEqual(new Set(['worker']));
    },
  );

  test('arrives in time is not probed', async () => {
    const double = await startDouble({ onJob: (job) => job.send(accepted()) });
    await acceptedAttempt();
    const seen = watchWorkers(() => false);
    await waitUntil(() => seen.checks >= 2, { what: 'a second check' });
    expect(double.inquiries).toBe(0);
  });
});

describe('a lost connection', () => {
  test('ends every attempt, and cancels are sent after the reconnect', async () => {
    const double = await startDouble({ onJob: (job) => job.send(accepted()) });
    const attempts = [offer(), offer()];
    await waitUntil(() => attempts.every((attempt) => attempt.accepted), {
      what: 'the worker to accept both',
    });
    await nats.kill();
    const ends: AttemptEnd[] = await Promise.all(attempts.map(async ({ ended }) => ended));
    expect(ends).toEqual([{ kind: 'disconnected' }, { kind: 'disconnected' }]);
    expect(parts.sender.connected).toBe(false);
    expect(await offer().ended).toEqual({ kind: 'disconnected' });
    expect(await parts.sender.waitForReconnect(1)).toBe(false);
    await nats.restart();
    expect(await parts.sender.waitForReconnect(10_000)).toBe(true);
    await waitUntil(() => attempts.every(({ name }) => double.cancels.includes(name)), {
      what: 'both cancels',
    });
  });
});
