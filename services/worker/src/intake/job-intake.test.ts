import { describe, expect, it } from 'vitest';
import { AttemptFailure } from './attempt-failure.ts';
import { nothing, setUpDesk } from './job-desk-fixture.ts';
import { finished, settle, usage } from './run-stand-fixture.ts';

describe('the desk', () => {
  it('accepts at once while there is a slot or a place in the queue, then refuses with a delay', async () => {
    const { stand, desk, offer } = setUpDesk();
    offer();
    stand.now += 400;
    stand.runs[0]?.end(finished);
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
    // A mean of 400 ms, four jobs in front, two slots.
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
    await stand.endAll();
    expect(desk.holdings).toEqual(nothing);
  });

  it.each([
    [32_768, 1],
    [32_769, 0],
  ])('lets the acceptance of %i bytes wait for company %i times', async (bytes, unhurried) => {
    const { stand, offer } = setUpDesk();
    const { channel } = offer('a', {}, new Uint8Array(bytes));
    expect([channel.kinds(), channel.unhurried]).toEqual([['accepted'], unhurried]);
    await stand.endAll();
  });

  it('tells of a wait by the age of its first job, until one has ended', async () => {
    const { stand, offer } = setUpDesk();
    for (let job = 0; job < 5; job += 1) offer();
    stand.now += 9_000;
    // Nine seconds, four jobs in front, two slots.
    expect(offer().channel.sent).toMatchObject([['refused', { retry_after_ms: 18_000 }]]);
    await stand.endAll();
  });

  it('makes room for an organization that has less in the queue', async () => {
    const { stand, desk, offer } = setUpDesk();
    const first = Array.from({ length: 5 }, () => offer('a'));
    const other = offer('b');
    expect(other.channel.kinds()).toEqual(['accepted']);
    expect(first[4]?.channel.sent.at(-1)).toMatchObject(['refused', { reason: 'full' }]);
    expect(first[3]?.channel.kinds()).toEqual(['accepted']);
    await stand.endAll();
    expect(desk.holdings).toEqual(nothing);
  });

  it('refuses a body for which there is no room, and makes room for that of one who has less', async () => {
    const { stand, desk, offer } = setUpDesk({ queueLimit: 10 });
    const half = new Uint8Array(32 * 1_024 * 1_024);
    for (const organization of ['a', 'a']) offer(organization);
    const [, second, third] = Array.from({ length: 3 }, () => offer('a', {}, half));
    expect(third?.channel.sent).toMatchObject([['refused', { reason: 'full' }]]);
    for (let job = 0; job < 2; job += 1) offer('b', {}, half);
    offer('a');
    const other = offer('c', {}, new Uint8Array(65 * 1_024));
    expect(other.channel.kinds()).toEqual(['accepted']);
    expect(second?.channel.sent.at(-1)).toMatchObject(['refused', { reason: 'full' }]);
    expect(desk.load.queued).toBe(5);
    // Half of it against half of it: another job for c would only turn it round.
    offer('c', {}, half);
    expect(offer('c', {}, half).channel.sent).toMatchObject([['refused', { reason: 'full' }]]);
    await stand.endAll();
    expect(desk.holdings).toEqual(nothing);
  });

  it.each([
    [3, 'queued'],
    [0, 'running'],
  ])(
    'starts nothing during a hold, unless attempts cannot wait: places %i',
    async (places, state) => {
      const { stand, desk, offer } = setUpDesk({ queueLimit: places });
      stand.slots.hold = true;
      expect(offer().channel.kinds()).toEqual(['accepted']);
      expect(desk.load).toMatchObject({ running: 0, queued: 0, [state]: 1 });
      stand.slots.hold = false;
      desk.runtimeChanged({ up: true, serves: () => true });
      await stand.endAll();
      expect(desk.holdings).toEqual(nothing);
    },
  );

  it('refuses an attempt that it has already, and goes on with that one', async () => {
    const { stand, desk, offer } = setUpDesk();
    const { channel } = offer('a', { request: 'same' });
    const again = offer('a', { request: 'same' });
    expect(again.channel.sent).toMatchObject([['refused', { reason: 'malformed' }]]);
    expect(stand.runs).toHaveLength(1);
    await stand.endAll();
    expect(channel.kinds()).toEqual(['accepted', 'finished']);
    expect(desk.holdings).toEqual(nothing);
  });

  it('says how an attempt ended, with the load after it', async () => {
    const { stand, offer } = setUpDesk();
    const { channel } = offer();
    stand.runs[0]?.end(finished);
    await settle();
    expect(channel.sent.at(-1)).toEqual([
      'finished',
      { finish_reason: 'stop', load: { slots: 2, running: 0, queued: 0, queue_limit: 3 } },
    ]);
    const failed = offer().channel;
    stand.runs[1]?.end({
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
  it('stops a running attempt and frees its slot, in silence', async () => {
    const { stand, desk, offer } = setUpDesk();
    const { channel, name } = offer();
    desk.cancel(name);
    await settle();
    expect(stand.runs[0]?.stops).toEqual(['cancelled']);
    expect(channel.kinds()).toEqual(['accepted']);
    expect(desk.holdings).toEqual(nothing);
  });

  it('takes a waiting attempt out of the queue, in silence', async () => {
    const { stand, desk, offer } = setUpDesk();
    offer();
    offer();
    const { channel, name } = offer();
    desk.cancel(name);
    expect(desk.load.queued).toBe(0);
    expect(channel.closed).toBe(true);
    await stand.endAll();
    expect(stand.runs).toHaveLength(2);
    expect(desk.holdings).toEqual(nothing);
  });

  it('that overtakes its job is remembered for a minute', () => {
    const { stand, desk, offer } = setUpDesk();
    desk.cancel('late-1');
    expect(offer('a', { request: 'late' }).channel.sent).toMatchObject([
      ['refused', { reason: 'cancelled' }],
    ]);
    stand.now += 60_000;
    desk.sweep();
    expect(desk.remembered).toEqual({ cancels: 0 });
    expect(offer('a', { request: 'late' }).channel.kinds()).toEqual(['accepted']);
  });

  it('is idempotent, and knows nothing of strangers', async () => {
    const { stand, desk, offer } = setUpDesk();
    const { name } = offer();
    desk.cancel(name);
    desk.cancel(name);
    desk.cancel('stranger-1');
    await settle();
    expect(stand.runs[0]?.stops).toEqual(['cancelled']);
    expect(desk.holdings).toEqual(nothing);
  });
});

describe('draining', () => {
  it('hands the queue back, refuses what comes, and lets running attempts finish', async () => {
    const { stand, desk, offer } = setUpDesk();
    const attempts = [offer(), offer(), offer(), offer()];
    desk.startDraining();
    expect(attempts.map(({ channel }) => channel.kinds())).toEqual([
      ['accepted'],
      ['accepted'],
      ['accepted', 'refused'],
      ['accepted', 'refused'],
    ]);
    expect(offer().channel.sent).toMatchObject([['refused', { reason: 'draining' }]]);
    let idle = false;
    void desk.whenIdle().then(() => (idle = true));
    stand.runs[0]?.end(finished);
    await settle();
    expect(idle).toBe(false);
    stand.runs[1]?.end(finished);
    await settle();
    expect(idle).toBe(true);
    expect(attempts[1]?.channel.kinds()).toEqual(['accepted', 'finished']);
    expect(desk.holdings).toEqual(nothing);
  });

  it('fails what is still running when the time is over', async () => {
    const { desk, offer } = setUpDesk();
    const { channel } = offer();
    desk.startDraining();
    desk.failRest();
    await desk.whenIdle();
    expect(channel.sent.at(-1)).toEqual([
      'failed',
      { reason: 'upstream_unavailable', retryable: true },
    ]);
  });
});

describe('handing the queue back', () => {
  it('leaves what runs, and what does not have to go, where it is', async () => {
    const { stand, desk, ended, offer } = setUpDesk({ slots: 1 });
    const running = offer('a', { runtime_model: 'gone' });
    const [hopeless, waiting] = [
      offer('b', { runtime_model: 'gone' }),
      offer('b', { runtime_model: 'here' }),
    ];
    desk.handBackQueue('unknown_model', ({ header }) => header.runtime_model === 'gone');
    expect(hopeless.channel.sent.at(-1)).toMatchObject([
      'refused',
      { reason: 'unknown_model', load: { running: 1, queued: 1 } },
    ]);
    await stand.endAll();
    expect([running, waiting].map(({ channel }) => channel.kinds())).toEqual([
      ['accepted', 'finished'],
      ['accepted', 'finished'],
    ]);
    expect(ended.map(([name, { kind }]) => [name, kind])).toEqual([
      [hopeless.name, 'handed_back'],
      [running.name, 'finished'],
      [waiting.name, 'finished'],
    ]);
    expect(desk.holdings).toEqual(nothing);
  });
});

describe('losing whom it works for', () => {
  it('abandons the attempts of a silent gateway and keeps the others', async () => {
    const { stand, desk, offer } = setUpDesk();
    const lost = [
      offer('a', { gateway: 'gone' }),
      offer('a', { gateway: 'here' }),
      offer('a', { gateway: 'gone' }),
    ];
    expect(
      desk.abandonWhere('gateway_silent', ({ header }) => header.gateway === 'gone'),
    ).toHaveLength(2);
    await settle();
    expect(lost.map(({ channel }) => channel.closed)).toEqual([true, false, true]);
    expect(desk.load).toMatchObject({ running: 1, queued: 0 });
    await stand.endAll();
    expect(desk.holdings).toEqual(nothing);
  });
});

describe('the end of every accepted attempt', () => {
  it('is told once, and that of a refused one never', async () => {
    const { stand, desk, ended, offer } = setUpDesk();
    const running = [offer('a'), offer('a')];
    const queued = [offer('a'), offer('a', { queue_ms: 10 }), offer('a')];
    expect(offer('a').channel.kinds()).toEqual(['refused']);
    const displacing = offer('b');
    desk.cancel(queued[0]?.name ?? '');
    stand.now += 10;
    desk.sweep();
    stand.runs[0]?.end(finished);
    await settle();
    stand.runs[1]?.end({
      kind: 'failed',
      failure: new AttemptFailure('upstream_busy', { retryable: true }),
    });
    await settle();
    desk.cancel(displacing.name);
    await settle();
    desk.cancel(displacing.name);
    expect(ended).toEqual([
      [queued[2]?.name, { kind: 'handed_back', reason: 'full' }],
      [queued[0]?.name, { kind: 'abandoned', reason: 'cancelled' }],
      [queued[1]?.name, { kind: 'failed', reason: 'queue_timeout' }],
      [running[0]?.name, { kind: 'finished', usage }],
      [running[1]?.name, { kind: 'failed', reason: 'upstream_busy' }],
      [displacing.name, { kind: 'abandoned', reason: 'cancelled' }],
    ]);
    expect(desk.holdings).toEqual(nothing);
  });

  it('comes with the tokens that its gateway was no longer there to hear', async () => {
    const { stand, desk, ended, offer } = setUpDesk();
    offer('a', { gateway: 'gone' });
    offer('a', { gateway: 'here' });
    const [silent, cancelled] = stand.runs.map(({ attempt }) => attempt);
    for (const { charge } of stand.runs) charge(5);
    desk.heard('gone');
    for (const { charge } of stand.runs) charge(3);
    desk.abandonWhere('gateway_silent', ({ header }) => header.gateway === 'gone');
    desk.cancel(cancelled?.name ?? '');
    await settle();
    expect(silent).toMatchObject({ generatedTokens: 8, heardTokens: 5 });
    expect(cancelled).toMatchObject({ generatedTokens: 8, heardTokens: 8 });
    expect(desk.generatedTokens).toBe(16);
    expect(ended.map(([, end]) => end)).toEqual([
      { kind: 'abandoned', reason: 'gateway_silent' },
      { kind: 'abandoned', reason: 'cancelled' },
    ]);
  });

  it('comes with the first reason why nobody waited', async () => {
    const { desk, ended, offer } = setUpDesk();
    const { name } = offer();
    desk.cancel(name);
    desk.abandonWhere('bus_lost', () => true);
    await settle();
    expect(ended).toEqual([[name, { kind: 'abandoned', reason: 'cancelled' }]]);
  });

  it('knows of each gateway by itself what it has heard', async () => {
    const { stand, desk, offer } = setUpDesk();
    offer('a', { gateway: 'speaks' });
    offer('a', { gateway: 'silent' });
    for (const { charge } of stand.runs) charge(5);
    desk.heard('speaks');
    expect(stand.runs.map(({ attempt }) => attempt.heardTokens)).toEqual([5, 0]);
    await stand.endAll();
  });
});
