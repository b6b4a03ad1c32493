import { describe, expect, it } from 'vitest';
import {
  AttemptFixture,
  finished,
  logger,
  settle,
  usage,
  type AttemptFixtureOptions,
} from '../attempt/attempt-fixture.ts';
import type { AttemptOutcome, RunAttempt } from '../attempt/attempt-outcome.ts';
import { Attempt } from '../attempt/attempt.ts';
import { AttemptScheduler } from './scheduler.ts';

/** A scheduler whose runs end when the test says so, or with a run of the test's own. */
function setUpScheduler({
  run,
  ...options
}: AttemptFixtureOptions & { readonly run?: RunAttempt } = {}) {
  const fixture = new AttemptFixture(options);
  const outcomes: AttemptOutcome[] = [];
  const scheduler = new AttemptScheduler({
    run: run ?? fixture.run,
    slots: fixture.slots,
    leastClassPercent: 5,
    clock: () => fixture.now,
    logger,
    onEnd: (_attempt, outcome) => {
      outcomes.push(outcome);
      scheduler.fillSlots();
    },
  });
  const schedule = (organization: string): Attempt => {
    const attempt = new Attempt(fixture.jobDetails(organization));
    if (!scheduler.startAtOnce(attempt)) scheduler.enqueue(attempt);
    return attempt;
  };
  const endsWithNothingHeld = async (): Promise<void> => {
    await fixture.endAll();
    const { queued, organizations } = scheduler;
    const { running } = fixture.slots;
    expect({ running, queued, organizations }).toEqual({ running: 0, queued: 0, organizations: 0 });
  };
  return { fixture, scheduler, outcomes, schedule, endsWithNothingHeld };
}

it('gives the next slot to the organization that was served least', async () => {
  const { fixture, schedule, endsWithNothingHeld } = setUpScheduler();
  for (const organization of ['a', 'a', 'a']) schedule(organization);
  fixture.runs[0]?.charge(500);
  const newcomer = schedule('b');
  fixture.runs[0]?.end({ ...finished, usage: { ...usage, output_tokens: 504 } });
  await settle();
  expect(fixture.runs[2]?.attempt).toBe(newcomer);
  await endsWithNothingHeld();
});

it('corrects the charge by the usage when an attempt ends', async () => {
  const { fixture, schedule, endsWithNothingHeld } = setUpScheduler({ slots: 1 });
  for (const organization of ['a', 'a']) schedule(organization);
  const newcomer = schedule('b');
  fixture.runs[0]?.end({ ...finished, usage: { ...usage, input_tokens: 1_000 } });
  await settle();
  expect(fixture.runs[1]?.attempt).toBe(newcomer);
  await endsWithNothingHeld();
});

it('charges output tokens once, although they are charged while they flow', async () => {
  const { fixture, schedule, endsWithNothingHeld } = setUpScheduler();
  for (const organization of ['a', 'b', 'b']) schedule(organization);
  const waiting = schedule('a');
  fixture.runs[0]?.charge(500);
  fixture.runs[1]?.charge(700);
  fixture.runs[0]?.end({ ...finished, usage: { ...usage, output_tokens: 500 } });
  await settle();
  expect(fixture.runs[2]?.attempt).toBe(waiting);
  await endsWithNothingHeld();
});

it.each([
  ['the estimate of its header', 'b', { estimated_input_tokens: 1_000 }, 40],
  ['that estimate, even for a large body', 'a', { estimated_input_tokens: 1 }, 4_000],
])('charges the prompt when an attempt gets its slot: %s', async (_, first, header, bytes) => {
  const { fixture, scheduler, schedule, endsWithNothingHeld } = setUpScheduler();
  schedule('b');
  const attempt = new Attempt(fixture.jobDetails('a', header, new Uint8Array(bytes)));
  expect(scheduler.startAtOnce(attempt)).toBe(true);
  fixture.runs[0]?.charge(500);
  const waiting = { a: schedule('a'), b: schedule('b') };
  fixture.runs[0]?.end({ ...finished, usage: { ...usage, output_tokens: 500 } });
  await settle();
  expect(fixture.runs[2]?.attempt).toBe(first === 'a' ? waiting.a : waiting.b);
  await endsWithNothingHeld();
});

it('starts nothing during a hold, even if slots are free', async () => {
  const { fixture, scheduler, schedule, endsWithNothingHeld } = setUpScheduler();
  fixture.slots.hold = true;
  const attempt = schedule('a');
  scheduler.fillSlots();
  expect(attempt.state).toBe('queued');
  fixture.slots.hold = false;
  scheduler.fillSlots();
  expect(attempt.state).toBe('running');
  await endsWithNothingHeld();
});

describe('a queue of large bodies', () => {
  const MEBIBYTE = 1_024 * 1_024;

  /** Both slots are taken, so that further attempts are queued. */
  function setUpFullScheduler() {
    const full = setUpScheduler();
    const { fixture, scheduler } = full;
    for (const organization of ['a', 'b']) full.schedule(organization);
    const waiting = (organization: string, bytes: number): Attempt | undefined => {
      const attempt = new Attempt(fixture.jobDetails(organization, {}, new Uint8Array(bytes)));
      if (!scheduler.hasRoomFor(attempt)) return undefined;
      scheduler.enqueue(attempt);
      return attempt;
    };
    return { ...full, waiting };
  }

  it('is bounded in bytes, in total and for each organization', async () => {
    const { endsWithNothingHeld, waiting } = setUpFullScheduler();
    expect(waiting('a', 40 * MEBIBYTE)).toBeDefined();
    expect(waiting('a', 40 * MEBIBYTE)).toBeUndefined();
    expect(waiting('b', 40 * MEBIBYTE)).toBeDefined();
    expect(waiting('c', 40 * MEBIBYTE)).toBeDefined();
    expect(waiting('d', 40 * MEBIBYTE)).toBeUndefined();
    await endsWithNothingHeld();
  });

  it('always has room for small bodies', async () => {
    const { endsWithNothingHeld, waiting } = setUpFullScheduler();
    for (const organization of ['a', 'b']) waiting(organization, 64 * MEBIBYTE);
    expect(waiting('a', MEBIBYTE)).toBeUndefined();
    expect(waiting('a', 64 * 1_024)).toBeDefined();
    await endsWithNothingHeld();
  });

  it('has room for a body of any size while it is empty', async () => {
    const { endsWithNothingHeld, waiting } = setUpFullScheduler();
    expect(waiting('a', 200 * MEBIBYTE)).toBeDefined();
    expect(waiting('b', MEBIBYTE)).toBeUndefined();
    await endsWithNothingHeld();
  });

  type FullScheduler = ReturnType<typeof setUpFullScheduler>;

  it.each<[string, (full: FullScheduler, attempt: Attempt) => Promise<void> | void]>([
    ['gets its slot', ({ fixture }) => fixture.endAll()],
    ['is dequeued', ({ scheduler }, attempt) => scheduler.dequeue(attempt)],
    [
      'is displaced',
      ({ fixture, scheduler }) =>
        expect(scheduler.displaceFor(new Attempt(fixture.jobDetails('c')))).toBeDefined(),
    ],
  ])('has room again when a body %s', async (_, leave) => {
    const full = setUpFullScheduler();
    const { scheduler, endsWithNothingHeld, waiting } = full;
    waiting('a', 0);
    const attempt = waiting('a', 64 * MEBIBYTE);
    if (attempt === undefined) throw new Error('an empty queue had no room');
    expect(waiting('a', 64 * MEBIBYTE)).toBeUndefined();
    await leave(full, attempt);
    expect(waiting('a', 64 * MEBIBYTE)).toBeDefined();
    scheduler.fillSlots();
    await endsWithNothingHeld();
  });
});

it('measures how long a slot is held, without the wait for it', async () => {
  const { fixture, scheduler, schedule, endsWithNothingHeld } = setUpScheduler({ slots: 1 });
  for (const organization of ['a', 'a']) schedule(organization);
  fixture.now += 400;
  fixture.runs[0]?.end(finished);
  await settle();
  fixture.now += 400;
  fixture.runs[1]?.end(finished);
  await settle();
  expect(scheduler.serviceMs).toBe(400);
  await endsWithNothingHeld();
});

it('fills the slots that are added', async () => {
  const { fixture, scheduler, schedule, endsWithNothingHeld } = setUpScheduler();
  for (const organization of ['a', 'a', 'a', 'a']) schedule(organization);
  fixture.slots.runtimeSlots = 4;
  scheduler.fillSlots();
  expect(fixture.runs).toHaveLength(4);
  await endsWithNothingHeld();
});

it('is idle when the last attempt has ended and none is queued', async () => {
  const { fixture, scheduler, schedule, endsWithNothingHeld } = setUpScheduler({ slots: 1 });
  for (const organization of ['a', 'a']) schedule(organization);
  let idle = false;
  void scheduler.whenIdle().then(() => (idle = true));
  fixture.runs[0]?.end(finished);
  await settle();
  expect(idle).toBe(false);
  await endsWithNothingHeld();
  expect(idle).toBe(true);
});

it('survives a run that throws', async () => {
  const { outcomes, schedule, endsWithNothingHeld } = setUpScheduler({
    run: () => Promise.reject(new Error('a bug')),
  });
  schedule('a');
  await settle();
  expect(outcomes).toMatchObject([
    { kind: 'failed', failure: { reason: 'upstream_unavailable', retryable: true } },
  ]);
  await endsWithNothingHeld();
});
