import { BusPayloadTooLargeError, type Bus, type BusMessage } from '@sluice/bus';
import { FrameKind, encodeJob, frame, subjectsUnder } from '@sluice/contracts';
import { expect, it } from 'vitest';
import { nothing, setUpDesk } from '../domain/job-desk-fixture.ts';
import { jobHeaderOf } from '../domain/job-header-fixture.ts';
import { logger, settle } from '../domain/run-stand-fixture.ts';
import { Leases } from './leases.ts';
import { Outbox } from './outbox.ts';
import { serveJobs } from './serve-jobs.ts';

const subjects = subjectsUnder('test');

/** A desk on a bus that takes no frames. */
function serve() {
  const { stand, desk, ended } = setUpDesk();
  const handlers = new Map<string, (message: BusMessage) => void>();
  const bus: Partial<Bus> = {
    maxPayload: 1_000,
    publish: () => {
      throw new BusPayloadTooLargeError(2_000, 1_000);
    },
    subscribe: (subject, handler) => {
      handlers.set(subject, handler);
      return { unsubscribe: () => handlers.delete(subject) };
    },
    onDisconnect: () => () => undefined,
    onReconnect: () => () => undefined,
  };
  const serving = serveJobs({
    bus: bus as Bus,
    subjects,
    worker: 'worker1',
    desk,
    leases: new Leases(),
    outbox: new Outbox(bus as Bus),
    serves: () => true,
    now: () => stand.now,
    logger,
  });
  const hear = (subject: string, message: Partial<BusMessage>) =>
    handlers.get(subject)?.(message as BusMessage);
  return {
    runs: stand.runs,
    desk,
    ended,
    takeJob: () =>
      hear(subjects.job('worker1'), {
        data: encodeJob(jobHeaderOf({ gateway: 'gateway1' }), Buffer.from('{}')),
        reply: 'reply',
        headers: {},
      }),
    hearLease: (gateway: string) => hear(subjects.leases(), { json: { gateway } }),
    [Symbol.dispose]: () => serving[Symbol.dispose](),
  };
}

it('an attempt of which nothing can be sent is given up, and its slot is free', async () => {
  using serving = serve();
  serving.takeJob();
  const [run] = serving.runs;
  run?.attempt.channel.send(frame(FrameKind.delta, Buffer.from('{}')));
  await settle();
  expect(run?.stops).toEqual(['channel_broken']);
  await settle();
  expect(serving.ended).toEqual([['r-1', { kind: 'abandoned', reason: 'channel_broken' }]]);
  expect(serving.desk.holdings).toEqual(nothing);
});

it('a lease shows that its gateway has heard what came until then', async () => {
  using serving = serve();
  serving.takeJob();
  const [run] = serving.runs;
  run?.charge(5);
  serving.hearLease('gateway2');
  expect(run?.attempt.heardTokens).toBe(0);
  serving.hearLease('gateway1');
  expect(run?.attempt.heardTokens).toBe(5);
  serving.desk.cancel('r-1');
  await settle();
});
