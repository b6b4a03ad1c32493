import { beforeEach, describe, expect, it } from 'vitest';
import type { AttemptOutcome, RunAttempt } from './attempt-outcome.ts';
import { AttemptScheduler } from './attempt-scheduler.ts';
import { Attempt } from './attempt.ts';
import {
  endAll,
  finished,
  jobDetails,
  logger,
  recordRun,
  setUpDesk,
  settle,
  stand,
  usage,
} from './job-desk-fixture.ts';

let scheduler: AttemptScheduler;
let outcomes: AttemptOutcome[];

beforeEach(() => {
  setUpDesk();
  outcomes = [];
  scheduler = schedulerOf(recordRun);
});

function schedulerOf(run: RunAttempt): AttemptScheduler {
  return new AttemptScheduler({
    run,
    slots: () => stand.slots,
    startsNothing: () => stand.startsNothing,
    now: () => stand.now,
    logger,
    onEnd: (_attempt, outcome) => {
      outcomes.push(outcome);
      scheduler.fillSlots();
    },
  });
}

function schedule(organization: string): Attempt {
  const attempt = new Attempt(jobDetails(organization));
  if (!scheduler.startAtOnce(attempt)) scheduler.enqueue(attempt);
  return attempt;
}

async function endsWithNothingHeld(): Promise<void> {
  await endAll();
  const { running, queued, organizations } = scheduler;
  expect({ running, queued, organizations }).toEqual({ running: 0, queued: 0, organizations: 0 });
}

it('gives the next slot to whoever was served least', async () => {
  for (const organization of ['a', 'a', 'a']) schedule(organization);
  stand.runs[0]?.charge(500);
  const newcomer = schedule('b');
  stand.runs[0]?.end({ ...finished, usage: { ...usage, output_tokens: 504 } });
  await settle();
  expect(stand.runs[2]?.attempt).toBe(newcomer);
  await endsWithNothingHeld();
});

it('charges in the end what an attempt has used in truth', async () => {
  stand.slots = 1;
  for (const organization of ['a', 'a']) schedule(organization);
  const newcomer = schedule('b');
  stand.runs[0]?.end({ ...finished, usage: { ...usage, input_tokens: 1_000 } });
  await settle();
  expect(stand.runs[1]?.attempt).toBe(newcomer);
  await endsWithNothingHeld();
});

it('charges no token twice that was charged on the way', async () => {
  for (const organization of ['a', 'b', 'b']) schedule(organization);
  const waiting = schedule('a');
  stand.runs[0]?.charge(500);
  stand.runs[1]?.charge(700);
  stand.runs[0]?.end({ ...finished, usage: { ...usage, output_tokens: 500 } });
  await settle();
  expect(stand.runs[2]?.attempt).toBe(waiting);
  await endsWithNothingHeld();
});

it('charges the prompt when an attempt gets its slot, by its length', async () => {
  schedule('b');
  const large = new Attempt({ ...jobDetails('a'), body: new Uint8Array(4_000) });
  expect(scheduler.startAtOnce(large)).toBe(true);
  stand.runs[0]?.charge(500);
  schedule('a');
  const next = schedule('b');
  stand.runs[0]?.end({ ...finished, usage: { ...usage, output_tokens: 500 } });
  await settle();
  expect(stand.runs[2]?.attempt).toBe(next);
  await endsWithNothingHeld();
});

it('starts nothing while it is told so, whatever slots there are', async () => {
  stand.startsNothing = true;
  const attempt = schedule('a');
  scheduler.fillSlots();
  expect(attempt.state).toBe('queued');
  stand.startsNothing = false;
  scheduler.fillSlots();
  expect(attempt.state).toBe('running');
  await endsWithNothingHeld();
});

describe('of large bodies', () => {
  const MEBIBYTE = 1_024 * 1_024;

  function waiting(organization: string, bytes: number): Attempt | undefined {
    const attempt = new Attempt({ ...jobDetails(organization), body: new Uint8Array(bytes) });
    if (!scheduler.hasRoomFor(attempt)) return undefined;
    scheduler.enqueue(attempt);
    return attempt;
  }

  beforeEach(() => {
    for (const organization of ['a', 'b']) schedule(organization);
  });

  it('lets only so many wait, in all and of one organization', async () => {
    expect(waiting('a', 40 * MEBIBYTE)).toBeDefined();
    expect(waiting('a', 40 * MEBIBYTE)).toBeUndefined();
    expect(waiting('b', 40 * MEBIBYTE)).toBeDefined();
    expect(waiting('c', 40 * MEBIBYTE)).toBeDefined();
    expect(waiting('d', 40 * MEBIBYTE)).toBeUndefined();
    await endsWithNothingHeld();
  });

  it('lets small ones wait whatever waits already', async () => {
    for (const organization of ['a', 'b']) waiting(organization, 64 * MEBIBYTE);
    expect(waiting('a', MEBIBYTE)).toBeUndefined();
    expect(waiting('a', 64 * 1_024)).toBeDefined();
    await endsWithNothingHeld();
  });

  it('lets a single one wait, however large it is', async () => {
    expect(waiting('a', 200 * MEBIBYTE)).toBeDefined();
    expect(waiting('b', MEBIBYTE)).toBeUndefined();
    await endsWithNothingHeld();
  });

  it.each<[string, (attempt: Attempt) => Promise<void> | void]>([
    ['gets its slot', () => endAll()],
    ['is waited for no longer', (attempt: Attempt) => scheduler.dequeue(attempt)],
    ['has to leave', () => expect(scheduler.displaceFor('c')).toBeDefined()],
  ])('has room again when one %s', async (_, leave) => {
    waiting('a', 0);
    const attempt = waiting('a', 64 * MEBIBYTE);
    if (attempt === undefined) throw new Error('an empty queue had no room');
    expect(waiting('a', 64 * MEBIBYTE)).toBeUndefined();
    await leave(attempt);
    expect(waiting('a', 64 * MEBIBYTE)).toBeDefined();
    scheduler.fillSlots();
    await endsWithNothingHeld();
  });
});

it('knows the most that ran at once since it was last asked', async () => {
  for (const organization of ['a', 'b']) schedule(organization);
  await endsWithNothingHeld();
  expect([scheduler.takeRunningPeak(), scheduler.takeRunningPeak()]).toEqual([2, 0]);
});

it('counts how long a slot was held, without the wait for it', async () => {
  stand.slots = 1;
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
  for (const organization of ['a', 'a', 'a', 'a']) schedule(organization);
  stand.slots = 4;
  scheduler.fillSlots();
  expect(stand.runs).toHaveLength(4);
  await endsWithNothingHeld();
});

it('is idle when the last attempt has ended, with nobody waiting for its slot', async () => {
  stand.slots = 1;
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
  scheduler = schedulerOf(() => Promise.reject(new Error('a bug')));
  schedule('a');
  await settle();
  expect(outcomes).toMatchObject([
    { kind: 'failed', failure: { reason: 'upstream_unavailable', retryable: true } },
  ]);
  await endsWithNothingHeld();
});
