import { describe, expect, it } from 'vitest';
import { AttemptFailure } from '../attempt/attempt-failure.ts';
import { finished, settle, usage } from '../attempt/attempt-fixture.ts';
import { nothing, setUpIntake } from './job-intake-fixture.ts';

describe('the job intake', () => {
  it('accepts at once while there is a slot or a place in the queue, then refuses with a delay', async () => {
    const { fixture, intake, offer } = setUpIntake();
    offer();
    fixture.now += 400;
    fixture.runs[0]?.end(finished);
    await settle();
    const taken = Array.from({ length: 5 }, () => offer().channel);
    expect(taken.map((channel) => channel.kinds())).toEqual(
      Array.from({ length: 5 }, () => ['accepted']),
    );
    expect(taken.map(({ sent }) => sent[0]?.[1])).toMatchObject([
      { load: { running: 1, queued: 0 } },
      { load: { running: 2, queued: 0 } },
      { load: { running: 2, queued: 1 } },
      { load: { running: 2, queued: 2 } },
      { load: { running: 2, queued: 3 } },
    ]);
    // Jobs take 400 ms on average. With three jobs in the queue and two slots: 400 ms * (3 + 1) / 2.
    expect(offer().channel.sent).toEqual([
      [
        'refused',
        {
          reason: 'full',
          load: { slots: 2, running: 2, queued: 3, queue_limit: 3 },
          retry_after_ms: 800,
        },
      ],
    ]);
    await fixture.endAll();
    expect(intake.holdings).toEqual(nothing);
  });

  it.each([
    [32_768, 1],
    [32_769, 0],
  ])('defers the accepted frame of a job of %i bytes %i times', async (bytes, deferred) => {
    const { fixture, offer } = setUpIntake();
    const { channel } = offer('a', {}, new Uint8Array(bytes));
    expect([channel.kinds(), channel.deferred]).toEqual([['accepted'], deferred]);
    await fixture.endAll();
  });

  it('estimates the wait by the age of its first job until a job has ended', async () => {
    const { fixture, offer } = setUpIntake();
    for (let job = 0; job < 5; job += 1) offer();
    fixture.now += 9_000;
    // The first job has taken 9 s so far. With three jobs in the queue and two slots: 9 s * (3 + 1) / 2.
    expect(offer().channel.sent).toMatchObject([['refused', { retry_after_ms: 18_000 }]]);
    await fixture.endAll();
  });

  it('displaces a job for an organization with fewer queued jobs', async () => {
    const { fixture, intake, offer } = setUpIntake();
    const first = Array.from({ length: 5 }, () => offer('a'));
    const other = offer('b');
    expect(other.channel.kinds()).toEqual(['accepted']);
    expect(first[4]?.channel.sent.at(-1)).toMatchObject(['refused', { reason: 'full' }]);
    expect(first[3]?.channel.kinds()).toEqual(['accepted']);
    await fixture.endAll();
    expect(intake.holdings).toEqual(nothing);
  });

  it('refuses a body that does not fit, and displaces one for an organization with fewer queued bytes', async () => {
    const { fixture, intake, offer } = setUpIntake({ queueLimit: 10 });
    const half = new Uint8Array(32 * 1_024 * 1_024);
    for (const organization of ['a', 'a']) offer(organization);
    const [, second, third] = Array.from({ length: 3 }, () => offer('a', {}, half));
    expect(third?.channel.sent).toMatchObject([['refused', { reason: 'full' }]]);
    for (let job = 0; job < 2; job += 1) offer('b', {}, half);
    offer('a');
    const other = offer('c', {}, new Uint8Array(65 * 1_024));
    expect(other.channel.kinds()).toEqual(['accepted']);
    expect(second?.channel.sent.at(-1)).toMatchObject(['refused', { reason: 'full' }]);
    expect(intake.load.queued).toBe(5);
    // Both organizations hold half of the bytes. With its job, c would hold as many, so its job is refused.
    offer('c', {}, half);
    expect(offer('c', {}, half).channel.sent).toMatchObject([['refused', { reason: 'full' }]]);
    await fixture.endAll();
    expect(intake.holdings).toEqual(nothing);
  });

  it.each([
    [3, 'queued'],
    [0, 'running'],
  ])(
    'starts nothing during a hold, unless attempts cannot wait: queue limit %i',
    async (places, state) => {
      const { fixture, intake, offer } = setUpIntake({ queueLimit: places });
      fixture.slots.hold = true;
      expect(offer().channel.kinds()).toEqual(['accepted']);
      expect(intake.load).toMatchObject({ running: 0, queued: 0, [state]: 1 });
      fixture.slots.hold = false;
      intake.runtimeChanged({ up: true, serves: () => true });
      await fixture.endAll();
      expect(intake.holdings).toEqual(nothing);
    },
  );

  it('refuses an attempt that it already has, and continues the first one', async () => {
    const { fixture, intake, offer } = setUpIntake();
    const { channel } = offer('a', { request: 'same' });
    const again = offer('a', { request: 'same' });
    expect(again.channel.sent).toMatchObject([['refused', { reason: 'malformed' }]]);
    expect(fixture.runs).toHaveLength(1);
    await fixture.endAll();
    expect(channel.kinds()).toEqual(['accepted', 'finished']);
    expect(intake.holdings).toEqual(nothing);
  });

  it('sends the outcome of an attempt, with the load after it', async () => {
    const { fixture, offer } = setUpIntake();
    const { channel } = offer();
    fixture.runs[0]?.end(finished);
    await settle();
    expect(channel.sent.at(-1)).toEqual([
      'finished',
      { finish_reason: 'stop', load: { slots: 2, running: 0, queued: 0, queue_limit: 3 } },
    ]);
    const failed = offer().channel;
    fixture.runs[1]?.end({
      kind: 'failed',
      failure: new AttemptFailure('upstream_busy', { retryable: true, retryAfterMs: 9 }),
    });
    await settle();
    expect(failed.sent.at(-1)).toEqual([
      'failed',
      { reason: 'upstream_busy', retryable: true, retry_after_ms: 9 },
    ]);
  });
});

describe('a cancel', () => {
  it('stops a running attempt and frees its slot without another frame', async () => {
    const { fixture, intake, offer } = setUpIntake();
    const { channel, name } = offer();
    intake.cancel(name);
    await settle();
    expect(fixture.runs[0]?.stops).toEqual(['cancelled']);
    expect(channel.kinds()).toEqual(['accepted']);
    expect(intake.holdings).toEqual(nothing);
  });

  it('removes a queued attempt without another frame', async () => {
    const { fixture, intake, offer } = setUpIntake();
    offer();
    offer();
    const { channel, name } = offer();
    intake.cancel(name);
    expect(intake.load.queued).toBe(0);
    expect(channel.closed).toBe(true);
    await fixture.endAll();
    expect(fixture.runs).toHaveLength(2);
    expect(intake.holdings).toEqual(nothing);
  });

  it('that overtakes its job is remembered for a minute', () => {
    const { fixture, intake, offer } = setUpIntake();
    intake.cancel('late-1');
    expect(offer('a', { request: 'late' }).channel.sent).toMatchObject([
      ['refused', { reason: 'cancelled' }],
    ]);
    fixture.now += 60_000;
    intake.sweep();
    expect(intake.remembered).toEqual({ cancels: 0 });
    expect(offer('a', { request: 'late' }).channel.kinds()).toEqual(['accepted']);
  });

  it('is idempotent, and has no effect on other attempts', async () => {
    const { fixture, intake, offer } = setUpIntake();
    const { name } = offer();
    intake.cancel(name);
    intake.cancel(name);
    intake.cancel('stranger-1');
    await settle();
    expect(fixture.runs[0]?.stops).toEqual(['cancelled']);
    expect(intake.holdings).toEqual(nothing);
  });
});

describe('draining', () => {
  it('returns the queue, refuses new jobs, and lets running attempts finish', async () => {
    const { fixture, intake, offer } = setUpIntake();
    const attempts = [offer(), offer(), offer(), offer()];
    intake.stopAccepting();
    expect(attempts.map(({ channel }) => channel.kinds())).toEqual([
      ['accepted'],
      ['accepted'],
      ['accepted', 'refused'],
      ['accepted', 'refused'],
    ]);
    expect(offer().channel.sent).toMatchObject([['refused', { reason: 'draining' }]]);
    let idle = false;
    void intake.whenIdle().then(() => (idle = true));
    fixture.runs[0]?.end(finished);
    await settle();
    expect(idle).toBe(false);
    fixture.runs[1]?.end(finished);
    await settle();
    expect(idle).toBe(true);
    expect(attempts[1]?.channel.kinds()).toEqual(['accepted', 'finished']);
    expect(intake.holdings).toEqual(nothing);
  });

  it('fails attempts that are still running when the drain time is over', async () => {
    const { intake, offer } = setUpIntake();
    const { channel } = offer();
    intake.stopAccepting();
    intake.failRemaining();
    await intake.whenIdle();
    expect(channel.sent.at(-1)).toEqual([
      'failed',
      { reason: 'upstream_unavailable', retryable: true },
    ]);
  });
});

describe('a drain by an operator', () => {
  it('serves the queue, refuses new jobs, and can be undone', async () => {
    const { fixture, intake, offer } = setUpIntake({ slots: 1 });
    const [running, queued] = [offer(), offer()];
    intake.orderDrain(true);
    expect(offer().channel.sent).toMatchObject([['refused', { reason: 'draining' }]]);
    for (const run of [0, 1]) {
      fixture.runs[run]?.end(finished);
      await settle();
    }
    expect([running, queued].map(({ channel }) => channel.kinds())).toEqual([
      ['accepted', 'finished'],
      ['accepted', 'finished'],
    ]);
    intake.orderDrain(false);
    expect(offer().channel.kinds()).toEqual(['accepted']);
  });

  it('does not outlive the stop of the worker: an undrain then changes nothing', () => {
    const { intake, offer } = setUpIntake();
    intake.stopAccepting();
    intake.orderDrain(false);
    expect([intake.draining, intake.stopping]).toEqual([true, true]);
    expect(offer().channel.sent).toMatchObject([['refused', { reason: 'draining' }]]);
  });
});

describe('returning the queue', () => {
  it('keeps running attempts, and queued attempts that can be served', async () => {
    const { fixture, intake, ended, offer } = setUpIntake({ slots: 1 });
    const running = offer('a', { runtime_model: 'gone' });
    const [unservable, waiting] = [
      offer('b', { runtime_model: 'gone' }),
      offer('b', { runtime_model: 'here' }),
    ];
    intake.returnQueue('unknown_model', ({ header }) => header.runtime_model === 'gone');
    expect(unservable.channel.sent.at(-1)).toMatchObject([
      'refused',
      { reason: 'unknown_model', load: { running: 1, queued: 1 } },
    ]);
    await fixture.endAll();
    expect([running, waiting].map(({ channel }) => channel.kinds())).toEqual([
      ['accepted', 'finished'],
      ['accepted', 'finished'],
    ]);
    expect(ended.map(([name, { kind }]) => [name, kind])).toEqual([
      [unservable.name, 'handed_back'],
      [running.name, 'finished'],
      [waiting.name, 'finished'],
    ]);
    expect(intake.holdings).toEqual(nothing);
  });
});

describe('a silent gateway', () => {
  it('loses its attempts, and other gateways keep theirs', async () => {
    const { fixture, intake, offer } = setUpIntake();
    const lost = [
      offer('a', { gateway: 'gone' }),
      offer('a', { gateway: 'here' }),
      offer('a', { gateway: 'gone' }),
    ];
    expect(
      intake.abandonWhere('gateway_silent', ({ header }) => header.gateway === 'gone'),
    ).toHaveLength(2);
    await settle();
    expect(lost.map(({ channel }) => channel.closed)).toEqual([true, false, true]);
    expect(intake.load).toMatchObject({ running: 1, queued: 0 });
    await fixture.endAll();
    expect(intake.holdings).toEqual(nothing);
  });
});

describe('the end of every accepted attempt', () => {
  it('is reported once, and refused attempts report none', async () => {
    const { fixture, intake, ended, offer } = setUpIntake();
    const running = [offer('a'), offer('a')];
    const queued = [offer('a'), offer('a', { queue_ms: 10 }), offer('a')];
    expect(offer('a').channel.kinds()).toEqual(['refused']);
    const displacing = offer('b');
    intake.cancel(queued[0]?.name ?? '');
    fixture.now += 10;
    intake.sweep();
    fixture.runs[0]?.end(finished);
    await settle();
    fixture.runs[1]?.end({
      kind: 'failed',
      failure: new AttemptFailure('upstream_busy', { retryable: true }),
    });
    await settle();
    intake.cancel(displacing.name);
    await settle();
    intake.cancel(displacing.name);
    expect(ended).toEqual([
      [queued[2]?.name, { kind: 'handed_back', reason: 'full' }],
      [queued[0]?.name, { kind: 'abandoned', reason: 'cancelled' }],
      [queued[1]?.name, { kind: 'failed', reason: 'queue_timeout' }],
      [running[0]?.name, { kind: 'finished', usage }],
      [running[1]?.name, { kind: 'failed', reason: 'upstream_busy' }],
      [displacing.name, { kind: 'abandoned', reason: 'cancelled' }],
    ]);
    expect(intake.holdings).toEqual(nothing);
  });

  it('includes the tokens that were generated after its gateway was last alive', async () => {
    const { fixture, intake, ended, offer } = setUpIntake();
    offer('a', { gateway: 'gone' });
    offer('a', { gateway: 'here' });
    const [silent, cancelled] = fixture.runs.map(({ attempt }) => attempt);
    for (const { charge } of fixture.runs) charge(5);
    intake.markDelivered('gone');
    for (const { charge } of fixture.runs) charge(3);
    intake.abandonWhere('gateway_silent', ({ header }) => header.gateway === 'gone');
    intake.cancel(cancelled?.name ?? '');
    await settle();
    expect(silent).toMatchObject({ generatedTokens: 8, deliveredTokens: 5 });
    expect(cancelled).toMatchObject({ generatedTokens: 8, deliveredTokens: 8 });
    expect(intake.generatedTokens).toBe(16);
    expect(ended.map(([, end]) => end)).toEqual([
      { kind: 'abandoned', reason: 'gateway_silent' },
      { kind: 'abandoned', reason: 'cancelled' },
    ]);
  });

  it('has the first reason for which the attempt was abandoned', async () => {
    const { intake, ended, offer } = setUpIntake();
    const { name } = offer();
    intake.cancel(name);
    intake.abandonWhere('bus_lost', () => true);
    await settle();
    expect(ended).toEqual([[name, { kind: 'abandoned', reason: 'cancelled' }]]);
  });

  it('counts delivered tokens for each gateway separately', async () => {
    const { fixture, intake, offer } = setUpIntake();
    offer('a', { gateway: 'speaks' });
    offer('a', { gateway: 'silent' });
    for (const { charge } of fixture.runs) charge(5);
    intake.markDelivered('speaks');
    expect(fixture.runs.map(({ attempt }) => attempt.deliveredTokens)).toEqual([5, 0]);
    await fixture.endAll();
  });
});
