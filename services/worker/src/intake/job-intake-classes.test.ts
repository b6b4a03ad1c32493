import { describe, expect, it } from 'vitest';
import { finished, settle } from '../attempt/attempt-fixture.ts';
import { nothing, setUpIntake } from './job-intake-fixture.ts';

const HIGH = { scheduling_class: 2 };
const LOW = { scheduling_class: -1 };

describe('slots per worker', () => {
  it('let the further jobs of an organization wait beside a free slot, and refuse none', async () => {
    const { fixture, intake, offer } = setUpIntake({ slots: 3 });
    const bounded = { slots_per_worker: 1 };
    const offered = [offer('a', bounded), offer('a', bounded), offer('b')];
    for (const { channel } of offered) expect(channel.kinds()).toEqual(['accepted']);
    expect(intake.load).toMatchObject({ slots: 3, running: 2, queued: 1 });
    expect(intake.organizationsAtBound).toEqual(['a']);
    fixture.runs[0]?.end(finished);
    await settle();
    expect(fixture.runs[2]?.attempt.name).toBe(offered[1]?.name);
    await fixture.endAll();
    expect(intake.holdings).toEqual(nothing);
  });

  it('start a waiting job at once when the next job of the organization brings a higher bound', async () => {
    const { fixture, intake, offer } = setUpIntake({ slots: 4 });
    for (let job = 0; job < 2; job += 1) offer('a', { slots_per_worker: 1 });
    expect(intake.load).toMatchObject({ running: 1, queued: 1 });
    offer('a', { slots_per_worker: 3 });
    expect(intake.load).toMatchObject({ running: 3, queued: 0 });
    await fixture.endAll();
    expect(intake.holdings).toEqual(nothing);
  });
});

describe('scheduling classes', () => {
  it('take places of a full queue from lower classes, and start first', async () => {
    const { fixture, intake, offer } = setUpIntake({ slots: 1 });
    const low = Array.from({ length: 4 }, (_, index) => offer(`low-${index}`));
    const high = offer('high', HIGH);
    expect(high.channel.kinds()).toEqual(['accepted']);
    expect(low.filter(({ channel }) => channel.kinds().includes('refused'))).toHaveLength(1);
    fixture.runs[0]?.end(finished);
    await settle();
    expect(fixture.runs[1]?.attempt.name).toBe(high.name);
    await fixture.endAll();
    expect(intake.holdings).toEqual(nothing);
  });

  it('are reported to gateways while any job has another class than the default', async () => {
    const { fixture, intake, offer } = setUpIntake({ slots: 1 });
    for (let job = 0; job < 3; job += 1) offer();
    expect(intake.activeClasses).toBeUndefined();
    offer('b', HIGH);
    expect(intake.activeClasses).toEqual([
      { class: 2, running: 0, queued: 1 },
      { class: 0, running: 1, queued: 2 },
    ]);
    await fixture.endAll();
    expect(intake.activeClasses).toBeUndefined();
    expect(intake.classes).toMatchObject([
      { class: 2, tokens: 10 },
      { class: 0, tokens: 30 },
    ]);
  });

  it('decide the Retry-After of a refused job', async () => {
    const { fixture, offer } = setUpIntake({ slots: 1 });
    offer();
    fixture.now += 1_000;
    fixture.runs[0]?.end(finished);
    await settle();
    for (let job = 0; job < 4; job += 1) offer('high', HIGH);
    const waitOf = (header: object) => {
      const [, body] = offer('high', header).channel.sent.at(-1) ?? [];
      return (body as { retry_after_ms?: number }).retry_after_ms;
    };
    // The class keeps one of the three places, although it came late.
    expect(offer('low', LOW).channel.kinds()).toEqual(['accepted']);
    // Two jobs of the higher class and one of its own are ahead of the next one.
    expect(waitOf(LOW)).toBe(4_000);
    expect(waitOf(HIGH)).toBe(3_000);
    await fixture.endAll();
  });
});
