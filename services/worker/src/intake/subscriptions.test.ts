import { BusPayloadTooLargeError, type Bus, type BusMessage } from '@sluice/bus';
import { FrameKind, encodeJob, frame, subjectsUnder } from '@sluice/contracts';
import { expect, it } from 'vitest';
import { logger, settle } from '../attempt/attempt-fixture.ts';
import { jobHeaderOf } from '../attempt/job-header-fixture.ts';
import { Outbox } from '../stream/outbox.ts';
import { Leases } from './gateway-liveness.ts';
import { nothing, setUpIntake } from './job-intake-fixture.ts';
import { serveJobs } from './subscriptions.ts';

const subjects = subjectsUnder('test');

/** A job intake on a bus that refuses every frame. */
function serve() {
  const { fixture, intake, ended } = setUpIntake();
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
    intake,
    leases: new Leases(),
    outbox: new Outbox(bus as Bus),
    serves: () => true,
    orderDrain: (drained) => intake.orderDrain(drained),
    clock: () => fixture.now,
    logger,
  });
  const receive = (subject: string, message: Partial<BusMessage>) =>
    handlers.get(subject)?.(message as BusMessage);
  return {
    runs: fixture.runs,
    intake,
    ended,
    receiveJob: () =>
      receive(subjects.job('worker1'), {
        data: encodeJob(jobHeaderOf({ gateway: 'gateway1' }), Buffer.from('{}')),
        reply: 'reply',
        headers: {},
      }),
    receiveLease: (gateway: string) => receive(subjects.leases(), { json: { gateway } }),
    [Symbol.dispose]: () => serving[Symbol.dispose](),
  };
}

it('abandons an attempt whose frames cannot be sent, and frees its slot', async () => {
  using serving = serve();
  serving.receiveJob();
  const [run] = serving.runs;
  run?.attempt.channel.send(frame(FrameKind.delta, Buffer.from('{}')));
  await settle();
  expect(run?.stops).toEqual(['channel_broken']);
  await settle();
  expect(serving.ended).toEqual([['r-1', { kind: 'abandoned', reason: 'channel_broken' }]]);
  expect(serving.intake.holdings).toEqual(nothing);
});

it('counts tokens as delivered when their gateway sends a lease', async () => {
  using serving = serve();
  serving.receiveJob();
  const [run] = serving.runs;
  run?.charge(5);
  serving.receiveLease('gateway2');
  expect(run?.attempt.deliveredTokens).toBe(0);
  serving.receiveLease('gateway1');
  expect(run?.attempt.deliveredTokens).toBe(5);
  serving.intake.cancel('r-1');
  await settle();
});
