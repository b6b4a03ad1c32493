import { describe, expect, it } from 'vitest';
import { finished, settle } from '../attempt/attempt-fixture.ts';
import { nothing, setUpIntake } from './job-intake-fixture.ts';

describe('the sweep of a job intake', () => {
  it('sends ticks for a silent attempt, running or queued', () => {
    const { fixture, intake, offer } = setUpIntake();
    const attempts = [offer(), offer(), offer()];
    fixture.now += 1_999;
    intake.sweep();
    expect(attempts.map(({ channel }) => channel.kinds().length)).toEqual([1, 1, 1]);
    fixture.now += 1;
    intake.sweep();
    intake.sweep();
    expect(attempts.map(({ channel }) => channel.kinds())).toEqual(
      Array.from({ length: 3 }, () => ['accepted', 'tick']),
    );
  });

  it('fails a job that waited too long for a slot', async () => {
    const { fixture, intake, offer } = setUpIntake();
    offer();
    offer();
    const { channel } = offer('a', { queue_ms: 3_000 });
    fixture.now += 2_999;
    intake.sweep();
    expect(intake.load.queued).toBe(1);
    fixture.now += 1;
    intake.sweep();
    // The first job has taken 3 s so far. With one job in the queue and two slots: 3 s * (1 + 1) / 2.
    const failed = { reason: 'queue_timeout', retryable: false, retry_after_ms: 3_000 };
    expect(channel.sent.at(-1)).toEqual(['failed', failed]);
    expect(intake.load.queued).toBe(0);
    await fixture.endAll();
    expect(intake.holdings).toEqual(nothing);
  });

  it('adds the expected wait to a queue timeout, if it is known', async () => {
    const { fixture, intake, offer } = setUpIntake();
    offer();
    offer();
    fixture.now += 400;
    await fixture.endAll();
    offer();
    offer();
    const { channel } = offer('a', { queue_ms: 100 });
    fixture.now += 100;
    intake.sweep();
    // Jobs take 400 ms on average. With one job in the queue and two slots: 400 ms * (1 + 1) / 2.
    expect(channel.sent.at(-1)).toEqual([
      'failed',
      { reason: 'queue_timeout', retryable: false, retry_after_ms: 400 },
    ]);
    await fixture.endAll();
  });

  it('applies the queue timeout only to queued jobs', async () => {
    const { fixture, intake, offer } = setUpIntake();
    const { channel } = offer('a', { queue_ms: 500 });
    fixture.now += 501;
    intake.sweep();
    await settle();
    expect(channel.kinds()).toEqual(['accepted']);
    await fixture.endAll();
    expect(channel.kinds().at(-1)).toBe('finished');
  });

  it('fails a job at its deadline, queued or running', async () => {
    const { fixture, intake, offer } = setUpIntake();
    const { channel } = offer('a', { run_ms: 1_000 });
    fixture.now += 1_000;
    intake.sweep();
    await settle();
    expect(channel.sent.at(-1)).toEqual([
      'failed',
      { reason: 'deadline_exceeded', retryable: false },
    ]);
    expect(intake.holdings).toEqual(nothing);
  });

  it('counts the wait for a slot towards the deadline', async () => {
    const { fixture, intake, offer } = setUpIntake();
    offer();
    offer();
    const { channel } = offer('a', { queue_ms: 1_000, run_ms: 1_000 });
    fixture.now += 600;
    fixture.runs[0]?.end(finished);
    await settle();
    expect(intake.load).toMatchObject({ running: 2, queued: 0 });
    fixture.now += 400;
    intake.sweep();
    await settle();
    expect(channel.sent.at(-1)).toEqual([
      'failed',
      { reason: 'deadline_exceeded', retryable: false },
    ]);
    await fixture.endAll();
  });

  it('fails a stalled attempt, with a longer limit before the first token than after it', async () => {
    const { fixture, intake, offer } = setUpIntake();
    const reading = offer();
    const speaking = offer();
    const run = fixture.runs[1];
    if (run === undefined) throw new Error('not running');
    run.attempt.progress.hasOutput = true;
    fixture.now += 1_000;
    intake.sweep();
    await settle();
    expect(speaking.channel.sent.at(-1)).toEqual([
      'failed',
      { reason: 'upstream_unavailable', retryable: true },
    ]);
    expect(intake.load.running).toBe(1);
    fixture.now += 4_000;
    intake.sweep();
    await settle();
    expect(reading.channel.sent.at(-1)).toEqual([
      'failed',
      { reason: 'upstream_unavailable', retryable: true },
    ]);
    expect(intake.holdings).toEqual(nothing);
  });

  it('does not count the wait for a slot as a stall', async () => {
    const { fixture, intake, offer } = setUpIntake({ slots: 1 });
    offer();
    const { channel } = offer();
    fixture.now += 4_000;
    fixture.runs[0]?.end(finished);
    await settle();
    fixture.now += 4_000;
    intake.sweep();
    await settle();
    expect(channel.kinds()).toEqual(['accepted', 'tick']);
    fixture.now += 1_000;
    intake.sweep();
    await settle();
    expect(channel.kinds().at(-1)).toBe('failed');
    expect(intake.holdings).toEqual(nothing);
  });

  it('waits less for the first token of a runtime that is down', async () => {
    const { fixture, intake, offer } = setUpIntake();
    const { channel } = offer();
    fixture.now += 3_000;
    intake.sweep();
    expect(channel.kinds()).toEqual(['accepted', 'tick']);
    fixture.downSince = fixture.now;
    fixture.now += 1_000;
    intake.sweep();
    await settle();
    expect(channel.sent.at(-1)).toEqual([
      'failed',
      { reason: 'upstream_unavailable', retryable: true },
    ]);
    expect(intake.holdings).toEqual(nothing);
  });
});
