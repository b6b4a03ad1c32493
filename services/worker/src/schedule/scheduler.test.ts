import { describe, expect, it } from 'vitest';
import type { AttemptOutcome, RunAttempt } from './attempt-outcome.ts';
import { AttemptScheduler } from './attempt-scheduler.ts';
import { Attempt } from './attempt.ts';
import {
  RunStand,
  finished,
  logger,
  settle,
  usage,
  type RunStandOptions,
} from './run-stand-fixture.ts';

/** A scheduler over runs that the test ends, unless they are said to go otherwise. */
function setUpScheduler({ run, ...options }: RunStandOptions & { readonly run?: RunAttempt } = {}) {
  const stand = new RunStand(options);
  const outcomes: AttemptOutcome[] = [];
  const scheduler = new AttemptScheduler({
    run: run ?? stand.run,
    slots: stand.slots,
    now: () => stand.now,
    logger,
    onEnd: (_attempt, outcome) => {
      outcomes.push(outcome);
      scheduler.fillSlots();
    },
  });
  const schedule = (organization: string): Attempt => {
    const attempt = new Attempt(stand.jobDetails(organization));
    if (!scheduler.startAtOnce(attempt)) scheduler.enqueue(attempt);
    return attempt;
  };
  const endsWithNothingHeld = async (): Promise<void> => {
    await stand.endAll();
    const { queued, organizations } = scheduler;
    const { running } = stand.slots;
    expect({ running, queued, organizations }).toEqual({ running: 0, queued: 0, organizations: 0 });
  };
  return { stand, scheduler, outcomes, schedule, endsWithNothingHeld };
}

it('gives the next slot to whoever was served least', async () => {
  const { stand, schedule, endsWithNothingHeld } = setUpScheduler();
  for (const organization of ['a', 'a', 'a']) schedule(organization);
  stand.runs[0]?.charge(500);
  const newcomer = schedule('b');
  stand.runs[0]?.end({ ...finished, usage: { ...usage, output_tokens: 504 } });
  await settle();
  expect(stand.runs[2]?.attempt).toBe(newcomer);
  await endsWithNothingHeld();
});

it('charges in the end what an attempt has used in truth', async () => {
  const { stand, schedule, endsWithNothingHeld } = setUpScheduler({ slots: 1 });
  for (const organization of ['a', 'a']) schedule(organization);
  const newcomer = schedule('b');
  stand.runs[0]?.end({ ...finished, usage: { ...usage, input_tokens: 1_000 } });
  await settle();
  expect(stand.runs[1]?.attempt).toBe(newcomer);
  await endsWithNothingHeld();
});

it('charges no token twice that was charged on the way', async () => {
  const { stand, schedule, endsWithNothingHeld } = setUpScheduler();
  for (const organization of ['a', 'b', 'b']) schedule(organization);
  const waiting = schedule('a');
  stand.runs[0]?.charge(500);
  stand.runs[1]?.charge(700);
  stand.runs[0]?.end({ ...finished, usage: { ...usage, output_tokens: 500 } });
  await settle();
  expect(stand.runs[2]?.attempt).toBe(waiting);
  await endsWithNothingHeld();
});

it.each([
  ['what its limits were charged', 'b', { estimated_input_tokens: 1_000 }, 40],
  ['that, whatever spaces are in it', 'a', { estimated_input_tokens: 1 }, 4_000],
])('charges the prompt when an attempt gets its slot: %s', async (_, first, header, bytes) => {
  const { stand, scheduler, schedule, endsWithNothingHeld } = setUpScheduler();
  schedule('b');
  const attempt = new Attempt(stand.jobDetails('a', header, new Uint8Array(bytes)));
  expect(scheduler.startAtOnce(attempt)).toBe(true);
  stand.runs[0]?.charge(500);
  const waiting = { a: schedule('a'), b: schedule('b') };
  stand.runs[0]?.end({ ...finished, usage: { ...usage, output_tokens: 500 } });
  await settle();
  expect(stand.runs[2]?.attempt).toBe(first === 'a' ? waiting.a : waiting.b);
  await endsWithNothingHeld();
});

it('starts nothing during a hold, whatever slots there are', async () => {
  const { stand, scheduler, schedule, endsWithNothingHeld } = setUpScheduler();
  stand.slots.hold = true;
  const attempt = schedule('a');
  scheduler.fillSlots();
  expect(attempt.state).toBe('queued');
  stand.slots.hold = false;
  scheduler.fillSlots();
  expect(attempt.state).toBe('running');
  await endsWithNothingHeld();
});

describe('of large bodies', () => {
  const MEBIBYTE = 1_024 * 1_024;

  /** Both slots are taken, so that what comes has to wait. */
  function setUpFullScheduler() {
    const full = setUpScheduler();
    const { stand, scheduler } = full;
    for (const organization of ['a', 'b']) full.schedule(organization);
    const waiting = (organization: string, bytes: number): Attempt | undefined => {
      const attempt = new Attempt(stand.jobDetails(organization, {}, new Uint8Array(bytes)));
      if (!scheduler.hasRoomFor(attempt)) return undefined;
      scheduler.enqueue(attempt);
      return attempt;
    };
    return { ...full, waiting };
  }

  it('lets only so many wait, in all and of one organization', async () => {
    const { endsWithNothingHeld, waiting } = setUpFullScheduler();
    expect(waiting('a', 40 * MEBIBYTE)).toBeDefined();
    expect(waiting('a', 40 * MEBIBYTE)).toBeUndefined();
    expect(waiting('b', 40 * MEBIBYTE)).toBeDefined();
    expect(waiting('c', 40 * MEBIBYTE)).toBeDefined();
    expect(waiting('d', 40 * MEBIBYTE)).toBeUndefined();
    await endsWithNothingHeld();
  });

  it('lets small ones wait whatever waits already', async () => {
    const { endsWithNothingHeld, waiting } = setUpFullScheduler();
    for (const organization of ['a', 'b']) waiting(organization, 64 * MEBIBYTE);
    expect(waiting('a', MEBIBYTE)).toBeUndefined();
    expect(waiting('a', 64 * 1_024)).toBeDefined();
    await endsWithNothingHeld();
  });

  it('lets a single one wait, however large it is', async () => {
    const { endsWithNothingHeld, waiting } = setUpFullScheduler();
    expect(waiting('a', 200 * MEBIBYTE)).toBeDefined();
    expect(waiting('b', MEBIBYTE)).toBeUndefined();
    await endsWithNothingHeld();
  });

  type FullScheduler = ReturnType<typeof setUpFullScheduler>;

  it.each<[string, (full: FullScheduler, attempt: Attempt) => Promise<void> | void]>([
    ['gets its slot', ({ stand }) => stand.endAll()],
    ['is waited for no longer', ({ scheduler }, attempt) => scheduler.dequeue(attempt)],
    ['has to leave', ({ scheduler }) => expect(scheduler.displaceFor('c')).toBeDefined()],
  ])('has room again when one %s', async (_, leave) => {
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

it('counts how long a slot was held, without the wait for it', async () => {
  const { stand, scheduler, schedule, endsWithNothingHeld } = setUpScheduler({ slots: 1 });
  for (const organization of ['a', 'a']) schedule(organization);
  stand.now += 400;
  stand.runs[0]?.end(finished);
  await settle();
  stand.now += 400;
  stand.runs[1]?.end(finished);
  await settle();
  expect(scheduler.serviceMs).toBe(400);
  await endsWithNothingHeld();
});

it('fills the slots that are added', async () => {
  const { stand, scheduler, schedule, endsWithNothingHeld } = setUpScheduler();
  for (const organization of ['a', 'a', 'a', 'a']) schedule(organization);
  stand.slots.runtimeSlots = 4;
  scheduler.fillSlots();
  expect(stand.runs).toHaveLength(4);
  await endsWithNothingHeld();
});

it('is idle when the last attempt has ended, with nobody waiting for its slot', async () => {
  const { stand, scheduler, schedule, endsWithNothingHeld } = setUpScheduler({ slots: 1 });
  for (const organization of ['a', 'a']) schedule(organization);
  let idle = false;
  void scheduler.whenIdle().then(() => (idle = true));
  stand.runs[0]?.end(finished);
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
