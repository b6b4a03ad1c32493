import { FrameKind, type Frame, type JobHeader } from '@sluice/contracts';
import { createLogger } from '@sluice/telemetry';
import { beforeEach, describe, expect, it } from 'vitest';
import { RuntimeFailure } from '../runtime/runtime-failure.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';
import type { Attempt, AttemptEnd, FrameChannel, StopReason } from './attempt.ts';
import { JobDesk } from './job-desk.ts';

const logger = createLogger({ service: 'desk-test', level: 'silent' });
const KINDS = new Map<number, string>(
  Object.entries(FrameKind).map(([name, kind]) => [kind, name]),
);

class RecordedChannel implements FrameChannel {
  readonly sent: [kind: string, body: unknown][] = [];
  lastSentAt = 0;
  closed = false;

  send(...frames: readonly Frame[]): void {
    this.lastSentAt = now;
    if (this.closed) return;
    for (const { kind, body } of frames) {
      const text = Buffer.from(body).toString();
      this.sent.push([KINDS.get(kind) ?? '?', text === '' ? undefined : JSON.parse(text)]);
    }
  }

  sendSoon(makeFrame: () => Frame): void {
    this.send(makeFrame());
  }

  close(): void {
    this.closed = true;
  }

  kinds(): string[] {
    return this.sent.map(([kind]) => kind);
  }
}

/** A run that a test ends by hand. */
interface Run {
  readonly attempt: Attempt;
  readonly charge: (tokens: number) => void;
  readonly stops: StopReason[];
  readonly end: (outcome: AttemptOutcome) => void;
}

let now = 0;
let slots = 2;
let downSince: number | undefined;
let runs: Run[];
let desk: JobDesk;
let requests = 0;
let ended: [name: string, end: AttemptEnd][];

beforeEach(() => {
  now = 1_000;
  slots = 2;
  downSince = undefined;
  runs = [];
  ended = [];
  desk = new JobDesk({
    slots: () => slots,
    queueLimit: 3,
    stall: { firstWordMs: 5_000, firstWordWhileDownMs: 1_000, betweenWordsMs: 1_000 },
    now: () => now,
    downSince: () => downSince,
    logger,
    onEnd: (attempt, end) => ended.push([attempt.name, end]),
    run: (attempt, charge) => {
      const { promise, resolve } = Promise.withResolvers<AttemptOutcome>();
      const stops: StopReason[] = [];
      runs.push({ attempt, charge, stops, end: resolve });
      attempt.onStop((reason) => {
        stops.push(reason);
        resolve(
          reason === 'abandoned' ? { kind: 'abandoned' } : { kind: 'failed', failure: reason },
        );
      });
      return promise;
    },
  });
});

const usage = { input_tokens: 6, cached_tokens: 0, output_tokens: 4, reasoning_tokens: 0 };
const finished: AttemptOutcome = { kind: 'finished', frames: [], finishReason: 'stop', usage };
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

function offer(organization = 'a', header: Partial<JobHeader> = {}) {
  const channel = new RecordedChannel();
  requests += 1;
  const full: JobHeader = {
    contract: 1,
    gateway: 'g',
    request: `r${requests}`,
    attempt: 1,
    organization,
    project: 'p',
    model: 'm',
    runtime_model: 'm',
    stream: true,
    output_bound_requested: false,
    reasoning_history: 'optional',
    queue_ms: 30_000,
    run_ms: 60_000,
    ...header,
  };
  desk.take({ header: full, body: new Uint8Array(40), channel, arrivedAt: now, trace: undefined });
  return { channel, name: `${full.request}-${full.attempt}` };
}

async function endAll(): Promise<void> {
  for (let index = 0; index < runs.length; index += 1) {
    runs[index]?.end(finished);
    await settle();
  }
}

const nothing = { attempts: 0, running: 0, queued: 0, organizations: 0 };

describe('the desk', () => {
  it('accepts at once while there is a slot or a place in the queue, then refuses with a delay', async () => {
    offer();
    now += 400;
    runs[0]?.end(finished);
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
    await endAll();
    expect(desk.holdings).toEqual(nothing);
  });

  it('makes room for an organization that has less in the queue', async () => {
    const first = Array.from({ length: 5 }, () => offer('a'));
    const other = offer('b');
    expect(other.channel.kinds()).toEqual(['accepted']);
    expect(first[4]?.channel.sent.at(-1)).toMatchObject(['refused', { reason: 'full' }]);
    expect(first[3]?.channel.kinds()).toEqual(['accepted']);
    await endAll();
    expect(desk.holdings).toEqual(nothing);
  });

  it('gives the next slot to whoever was served least', async () => {
    offer('a');
    offer('a');
    offer('a');
    runs[0]?.charge(500);
    const newcomer = offer('b');
    runs[0]?.end({ ...finished, usage: { ...usage, output_tokens: 504 } });
    await settle();
    expect(runs[2]?.attempt.name).toBe(newcomer.name);
    await endAll();
    expect(desk.holdings).toEqual(nothing);
  });

  it('charges in the end what an attempt has used in truth', async () => {
    slots = 1;
    offer('a');
    offer('a');
    const newcomer = offer('b');
    runs[0]?.end({ ...finished, usage: { ...usage, input_tokens: 1_000 } });
    await settle();
    expect(runs[1]?.attempt.name).toBe(newcomer.name);
    await endAll();
    expect(desk.holdings).toEqual(nothing);
  });

  it('charges no token twice that was charged on the way', async () => {
    offer('a');
    offer('b');
    offer('b');
    const waiting = offer('a');
    runs[0]?.charge(500);
    runs[1]?.charge(700);
    runs[0]?.end({ ...finished, usage: { ...usage, output_tokens: 500 } });
    await settle();
    expect(runs[2]?.attempt.name).toBe(waiting.name);
    await endAll();
    expect(desk.holdings).toEqual(nothing);
  });

  it('refuses an attempt that it has already, and goes on with that one', async () => {
    const { channel } = offer('a', { request: 'same' });
    const again = offer('a', { request: 'same' });
    expect(again.channel.sent).toMatchObject([['refused', { reason: 'malformed' }]]);
    expect(runs).toHaveLength(1);
    await endAll();
    expect(channel.kinds()).toEqual(['accepted', 'finished']);
    expect(desk.holdings).toEqual(nothing);
  });

  it('says how an attempt ended, with the load after it', async () => {
    const { channel } = offer();
    runs[0]?.end(finished);
    await settle();
    expect(channel.sent.at(-1)).toEqual([
      'finished',
      { finish_reason: 'stop', load: { slots: 2, running: 0, queued: 0, queue_limit: 3 } },
    ]);
    const failed = offer().channel;
    runs[1]?.end({
      kind: 'failed',
      failure: new RuntimeFailure('upstream_busy', { retryable: true, retryAfterMs: 9 }),
    });
    await settle();
    expect(failed.sent.at(-1)).toEqual([
      'failed',
      { reason: 'upstream_busy', retryable: true, retry_after_ms: 9 },
    ]);
  });

  it('survives a run that throws', async () => {
    const broken = new JobDesk({
      slots: () => 1,
      queueLimit: 0,
      stall: { firstWordMs: 1, firstWordWhileDownMs: 1, betweenWordsMs: 1 },
      now: () => now,
      downSince: () => undefined,
      logger,
      run: () => Promise.reject(new Error('a bug')),
    });
    desk = broken;
    const { channel } = offer();
    await settle();
    expect(channel.sent.at(-1)).toEqual([
      'failed',
      { reason: 'upstream_unavailable', retryable: true },
    ]);
    expect(broken.holdings).toEqual(nothing);
  });
});

describe('a cancel', () => {
  it('stops a running attempt and frees its slot, in silence', async () => {
    const { channel, name } = offer();
    desk.cancel(name);
    await settle();
    expect(runs[0]?.stops).toEqual(['abandoned']);
    expect(channel.kinds()).toEqual(['accepted']);
    expect(desk.holdings).toEqual(nothing);
  });

  it('takes a waiting attempt out of the queue, in silence', async () => {
    offer();
    offer();
    const { channel, name } = offer();
    desk.cancel(name);
    expect(desk.load.queued).toBe(0);
    expect(channel.closed).toBe(true);
    await endAll();
    expect(runs).toHaveLength(2);
    expect(desk.holdings).toEqual(nothing);
  });

  it('that overtakes its job is remembered for a minute', () => {
    desk.cancel('late-1');
    expect(offer('a', { request: 'late' }).channel.sent).toMatchObject([
      ['refused', { reason: 'cancelled' }],
    ]);
    now += 60_000;
    desk.sweep();
    expect(offer('a', { request: 'late' }).channel.kinds()).toEqual(['accepted']);
  });

  it('is idempotent, and knows nothing of strangers', async () => {
    const { name } = offer();
    desk.cancel(name);
    desk.cancel(name);
    desk.cancel('stranger-1');
    await settle();
    expect(runs[0]?.stops).toEqual(['abandoned']);
    expect(desk.holdings).toEqual(nothing);
  });
});

describe('the clock', () => {
  it('ticks for an attempt that has nothing to say, running or queued', () => {
    const attempts = [offer(), offer(), offer()];
    now += 1_999;
    desk.sweep();
    expect(attempts.map(({ channel }) => channel.kinds().length)).toEqual([1, 1, 1]);
    now += 1;
    desk.sweep();
    desk.sweep();
    expect(attempts.map(({ channel }) => channel.kinds())).toEqual(
      Array.from({ length: 3 }, () => ['accepted', 'tick']),
    );
  });

  it('fails a job that waited too long for a slot', async () => {
    offer();
    offer();
    const { channel } = offer('a', { queue_ms: 3_000 });
    now += 2_999;
    desk.sweep();
    expect(desk.load.queued).toBe(1);
    now += 1;
    desk.sweep();
    expect(channel.sent.at(-1)).toEqual(['failed', { reason: 'queue_timeout', retryable: false }]);
    expect(desk.load.queued).toBe(0);
    await endAll();
    expect(desk.holdings).toEqual(nothing);
  });

  it('lets a job run for longer than it might have waited', async () => {
    const { channel } = offer('a', { queue_ms: 500 });
    now += 501;
    desk.sweep();
    await settle();
    expect(channel.kinds()).toEqual(['accepted']);
    await endAll();
    expect(channel.kinds().at(-1)).toBe('finished');
  });

  it('fails a job at its deadline, whatever it is doing', async () => {
    const { channel } = offer('a', { run_ms: 1_000 });
    now += 1_000;
    desk.sweep();
    await settle();
    expect(channel.sent.at(-1)).toEqual([
      'failed',
      { reason: 'deadline_exceeded', retryable: false },
    ]);
    expect(desk.holdings).toEqual(nothing);
  });

  it('notices a runtime that stalls: patient before the first word, less so after', async () => {
    const reading = offer();
    const speaking = offer();
    const run = runs[1];
    if (run === undefined) throw new Error('not running');
    run.attempt.progress.speaking = true;
    now += 1_000;
    desk.sweep();
    await settle();
    expect(speaking.channel.sent.at(-1)).toEqual([
      'failed',
      { reason: 'upstream_unavailable', retryable: true },
    ]);
    expect(desk.load.running).toBe(1);
    now += 4_000;
    desk.sweep();
    await settle();
    expect(reading.channel.sent.at(-1)).toEqual([
      'failed',
      { reason: 'upstream_unavailable', retryable: true },
    ]);
    expect(desk.holdings).toEqual(nothing);
  });

  it('does not count the wait for a slot as silence of the runtime', async () => {
    slots = 1;
    offer();
    const { channel } = offer();
    now += 4_000;
    runs[0]?.end(finished);
    await settle();
    now += 4_000;
    desk.sweep();
    await settle();
    expect(channel.kinds()).toEqual(['accepted', 'tick']);
    now += 1_000;
    desk.sweep();
    await settle();
    expect(channel.kinds().at(-1)).toBe('failed');
    expect(desk.holdings).toEqual(nothing);
  });

  it('waits less for the first word of a runtime that is known to be down', async () => {
    const { channel } = offer();
    now += 3_000;
    desk.sweep();
    expect(channel.kinds()).toEqual(['accepted', 'tick']);
    downSince = now;
    now += 1_000;
    desk.sweep();
    await settle();
    expect(channel.sent.at(-1)).toEqual([
      'failed',
      { reason: 'upstream_unavailable', retryable: true },
    ]);
    expect(desk.holdings).toEqual(nothing);
  });
});

describe('draining', () => {
  it('hands the queue back, refuses what comes, and lets running attempts finish', async () => {
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
    runs[0]?.end(finished);
    await settle();
    expect(idle).toBe(false);
    runs[1]?.end(finished);
    await settle();
    expect(idle).toBe(true);
    expect(attempts[1]?.channel.kinds()).toEqual(['accepted', 'finished']);
    expect(desk.holdings).toEqual(nothing);
  });

  it('fails what is still running when the time is over', async () => {
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

describe('losing whom it works for', () => {
  it('abandons the attempts of a silent gateway and keeps the others', async () => {
    const lost = [
      offer('a', { gateway: 'gone' }),
      offer('a', { gateway: 'here' }),
      offer('a', { gateway: 'gone' }),
    ];
    expect(desk.abandonWhere('gateway_silent', ({ header }) => header.gateway === 'gone')).toBe(2);
    await settle();
    expect(lost.map(({ channel }) => channel.closed)).toEqual([true, false, true]);
    expect(desk.load).toMatchObject({ running: 1, queued: 0 });
    await endAll();
    expect(desk.holdings).toEqual(nothing);
  });

  it('fills the slots that are added', async () => {
    const attempts = [offer(), offer(), offer(), offer()];
    slots = 4;
    desk.fillSlots();
    expect(runs).toHaveLength(attempts.length);
    await endAll();
    expect(desk.holdings).toEqual(nothing);
  });
});

describe('the end of every accepted attempt', () => {
  it('is told once, and that of a refused one never', async () => {
    const running = [offer('a'), offer('a')];
    const queued = [offer('a'), offer('a', { queue_ms: 10 }), offer('a')];
    expect(offer('a').channel.kinds()).toEqual(['refused']);
    const displacing = offer('b');
    desk.cancel(queued[0]?.name ?? '');
    now += 10;
    desk.sweep();
    runs[0]?.end(finished);
    await settle();
    runs[1]?.end({
      kind: 'failed',
      failure: new RuntimeFailure('upstream_busy', { retryable: true }),
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
    offer('a', { gateway: 'gone' });
    offer('a', { gateway: 'here' });
    const [silent, cancelled] = runs.map(({ attempt }) => attempt);
    for (const { charge } of runs) charge(5);
    desk.heard('gone');
    for (const { charge } of runs) charge(3);
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

  it('knows of each gateway by itself what it has heard', async () => {
    offer('a', { gateway: 'speaks' });
    offer('a', { gateway: 'silent' });
    for (const { charge } of runs) charge(5);
    desk.heard('speaks');
    expect(runs.map(({ attempt }) => attempt.heardTokens)).toEqual([5, 0]);
    await endAll();
  });
});
