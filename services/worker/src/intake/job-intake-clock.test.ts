import { describe, expect, it } from 'vitest';
import { nothing, setUpDesk } from './job-desk-fixture.ts';
import { finished, settle } from './run-stand-fixture.ts';

describe('the clock', () => {
  it('ticks for an attempt that has nothing to say, running or queued', () => {
    const { stand, desk, offer } = setUpDesk();
    const attempts = [offer(), offer(), offer()];
    stand.now += 1_999;
    desk.sweep();
    expect(attempts.map(({ channel }) => channel.kinds().length)).toEqual([1, 1, 1]);
    stand.now += 1;
    desk.sweep();
    desk.sweep();
    expect(attempts.map(({ channel }) => channel.kinds())).toEqual(
      Array.from({ length: 3 }, () => ['accepted', 'tick']),
    );
  });

  it('fails a job that waited too long for a slot', async () => {
    const { stand, desk, offer } = setUpDesk();
    offer();
    offer();
    const { channel } = offer('a', { queue_ms: 3_000 });
    stand.now += 2_999;
    desk.sweep();
    expect(desk.load.queued).toBe(1);
    stand.now += 1;
    desk.sweep();
    // Three seconds so far, two jobs in front of the next, two slots.
    const failed = { reason: 'queue_timeout', retryable: false, retry_after_ms: 3_000 };
    expect(channel.sent.at(-1)).toEqual(['failed', failed]);
    expect(desk.load.queued).toBe(0);
    await stand.endAll();
    expect(desk.holdings).toEqual(nothing);
  });

  it('tells with it when a place is to be expected, if that is known', async () => {
    const { stand, desk, offer } = setUpDesk();
    offer();
    offer();
    stand.now += 400;
    await stand.endAll();
    offer();
    offer();
    const { channel } = offer('a', { queue_ms: 100 });
    stand.now += 100;
    desk.sweep();
    // A mean of 400 ms, one job in the queue, two slots.
    expect(channel.sent.at(-1)).toEqual([
      'failed',
      { reason: 'queue_timeout', retryable: false, retry_after_ms: 400 },
    ]);
    await stand.endAll();
  });

  it('lets a job run for longer than it might have waited', async () => {
    const { stand, desk, offer } = setUpDesk();
    const { channel } = offer('a', { queue_ms: 500 });
    stand.now += 501;
    desk.sweep();
    await settle();
    expect(channel.kinds()).toEqual(['accepted']);
    await stand.endAll();
    expect(channel.kinds().at(-1)).toBe('finished');
  });

  it('fails a job at its deadline, whatever it is doing', async () => {
    const { stand, desk, offer } = setUpDesk();
    const { channel } = offer('a', { run_ms: 1_000 });
    stand.now += 1_000;
    desk.sweep();
    await settle();
    expect(channel.sent.at(-1)).toEqual([
      'failed',
      { reason: 'deadline_exceeded', retryable: false },
    ]);
    expect(desk.holdings).toEqual(nothing);
  });

  it('counts the wait for a slot among the time that a job may take in all', async () => {
    const { stand, desk, offer } = setUpDesk();
    offer();
    offer();
    const { channel } = offer('a', { queue_ms: 1_000, run_ms: 1_000 });
    stand.now += 600;
    stand.runs[0]?.end(finished);
    await settle();
    expect(desk.load).toMatchObject({ running: 2, queued: 0 });
    stand.now += 400;
    desk.sweep();
    await settle();
    expect(channel.sent.at(-1)).toEqual([
      'failed',
      { reason: 'deadline_exceeded', retryable: false },
    ]);
    await stand.endAll();
  });

  it('notices a runtime that stalls: patient before the first word, less so after', async () => {
    const { stand, desk, offer } = setUpDesk();
    const reading = offer();
    const speaking = offer();
    const run = stand.runs[1];
    if (run === undefined) throw new Error('not running');
    run.attempt.progress.speaking = true;
    stand.now += 1_000;
    desk.sweep();
    await settle();
    expect(speaking.channel.sent.at(-1)).toEqual([
      'failed',
      { reason: 'upstream_unavailable', retryable: true },
    ]);
    expect(desk.load.running).toBe(1);
    stand.now += 4_000;
    desk.sweep();
    await settle();
    expect(reading.channel.sent.at(-1)).toEqual([
      'failed',
      { reason: 'upstream_unavailable', retryable: true },
    ]);
    expect(desk.holdings).toEqual(nothing);
  });

  it('does not count the wait for a slot as silence of the runtime', async () => {
    const { stand, desk, offer } = setUpDesk({ slots: 1 });
    offer();
    const { channel } = offer();
    stand.now += 4_000;
    stand.runs[0]?.end(finished);
    await settle();
    stand.now += 4_000;
    desk.sweep();
    await settle();
    expect(channel.kinds()).toEqual(['accepted', 'tick']);
    stand.now += 1_000;
    desk.sweep();
    await settle();
    expect(channel.kinds().at(-1)).toBe('failed');
    expect(desk.holdings).toEqual(nothing);
  });

  it('waits less for the first word of a runtime that is known to be down', async () => {
    const { stand, desk, offer } = setUpDesk();
    const { channel } = offer();
    stand.now += 3_000;
    desk.sweep();
    expect(channel.kinds()).toEqual(['accepted', 'tick']);
    stand.downSince = stand.now;
    stand.now += 1_000;
    desk.sweep();
    await settle();
    expect(channel.sent.at(-1)).toEqual([
      'failed',
      { reason: 'upstream_unavailable', retryable: true },
    ]);
    expect(desk.holdings).toEqual(nothing);
  });
});
