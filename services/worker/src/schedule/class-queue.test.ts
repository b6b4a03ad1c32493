import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClassQueue, type JobOwner } from './class-queue.ts';

interface Job {
  readonly owner: JobOwner;
  readonly tokens: number;
  readonly bytes: number;
}

const HIGH = { organization: 'high', scheduling_class: 2 };
const LOW = { organization: 'low', scheduling_class: -1 };

const jobOf = (owner: JobOwner, { tokens = 100, bytes = 0 } = {}): Job => ({
  owner,
  tokens,
  bytes,
});

const queueWith = (leastPercent = 0) =>
  new ClassQueue<Job>({
    ownerOf: ({ owner }) => owner,
    bytesOf: ({ bytes }) => bytes,
    leastPercent,
  });

/** Keeps several jobs of each owner waiting, runs them in slots, and counts the tokens that each is served. */
function saturate(
  queue: ClassQueue<Job>,
  {
    owners,
    slots,
    ends,
    tokensOf,
  }: { owners: readonly JobOwner[]; slots: number; ends: number; tokensOf: () => number },
): ReadonlyMap<string, number> {
  const served = new Map(owners.map(({ organization }) => [organization, 0]));
  const running: { job: Job; left: number; charge: (tokens: number) => void }[] = [];
  const supply = (owner: JobOwner) => queue.enqueue(jobOf(owner, { tokens: tokensOf() }));
  for (const owner of owners) for (let job = 0; job < slots + 1; job += 1) supply(owner);
  for (let ended = 0; ended < ends;) {
    while (running.length < slots) {
      const job = queue.next();
      if (job === undefined) throw new Error('the queue ran dry');
      running.push({ job, left: job.tokens, charge: queue.chargerFor(job) });
      supply(job.owner);
    }
    // All running jobs get their next tokens at the same time.
    for (const one of running.slice()) {
      const tokens = Math.min(10, one.left);
      one.left -= tokens;
      one.charge(tokens);
      const { organization } = one.job.owner;
      served.set(organization, (served.get(organization) ?? 0) + tokens);
      if (one.left > 0) continue;
      running.splice(running.indexOf(one), 1);
      queue.end(one.job, one.job.tokens);
      ended += 1;
    }
  }
  return served;
}

/** Long and short generations, always in the same order. */
function mixedTokens(): () => number {
  let turn = 0;
  return () => {
    turn += 1;
    return turn % 5 === 0 ? 1_000 : 20 + ((turn * 37) % 200);
  };
}

function sharesOf(served: ReadonlyMap<string, number>): Record<string, number> {
  const total = [...served.values()].reduce((sum, tokens) => sum + tokens, 0);
  return Object.fromEntries([...served].map(([name, tokens]) => [name, tokens / total]));
}

describe('weights', () => {
  it.each([
    [[3, 1], 4],
    [[5, 3, 1], 8],
    [[0.5, 2], 1],
  ])('%j divide the tokens of a saturated worker with %d slots', (weights, slots) => {
    const owners = weights.map((weight, index) => ({ organization: `org-${index}`, weight }));
    const shares = sharesOf(
      saturate(queueWith(), { owners, slots, ends: 6_000, tokensOf: mixedTokens() }),
    );
    const sum = weights.reduce((total, weight) => total + weight, 0);
    for (const [index, weight] of weights.entries()) {
      expect(shares[`org-${index}`]).toBeCloseTo(weight / sum, 2);
    }
  });

  it('divide the places of a full queue', () => {
    const queue = queueWith();
    const heavy = { organization: 'heavy', weight: 3 };
    const light = { organization: 'light' };
    for (let job = 0; job < 4; job += 1) queue.enqueue(jobOf(light));
    const displaced: boolean[] = [];
    for (let job = 0; job < 4; job += 1) {
      const newcomer = jobOf(heavy);
      displaced.push(queue.displaceFor(newcomer) !== undefined);
      if (displaced.at(-1) === true) queue.enqueue(newcomer);
    }
    expect(displaced).toEqual([true, true, true, false]);
    expect(queue.displaceFor(jobOf(light))).toBeUndefined();
  });
});

describe('slots per worker', () => {
  const bounded = { organization: 'bounded', slots_per_worker: 2 };

  it('let further jobs wait while other organizations start', () => {
    const queue = queueWith();
    for (let job = 0; job < 5; job += 1) queue.enqueue(jobOf(bounded));
    queue.enqueue(jobOf(LOW));
    const started = [queue.next(), queue.next(), queue.next(), queue.next()];
    expect(started.map((job) => job?.owner.organization)).toEqual([
      'bounded',
      'bounded',
      'low',
      undefined,
    ]);
    expect(queue.mayStartAtOnce(jobOf(bounded))).toBe(false);
    for (const job of started) if (job?.owner === bounded) queue.end(job, 10);
    expect(queue.next()?.owner).toBe(bounded);
  });

  it('earn no credit for the time at the bound', () => {
    const queue = queueWith();
    const other = { organization: 'other' };
    const jobs = { bounded: jobOf({ ...bounded, slots_per_worker: 1 }), other: jobOf(other) };
    for (let job = 0; job < 100; job += 1) queue.enqueue(jobs.bounded);
    queue.next();
    for (let job = 0; job < 100; job += 1) queue.enqueue(jobs.other);
    for (let turn = 0; turn < 50; turn += 1) {
      expect(queue.next()).toBe(jobs.other);
      queue.charge(jobs.other, 1_000);
      queue.end(jobs.other, 1_000);
    }
    queue.end(jobs.bounded, 0);
    const served: (Job | undefined)[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      const job = queue.next() ?? jobs.other;
      queue.charge(job, 1_000);
      queue.end(job, 1_000);
      served.push(job);
    }
    expect(served.filter((job) => job === jobs.other)).toHaveLength(3);
  });

  it('may be raised while jobs wait', () => {
    const queue = queueWith();
    for (let job = 0; job < 3; job += 1) queue.enqueue(jobOf({ ...bounded, slots_per_worker: 1 }));
    expect([queue.next() === undefined, queue.next()]).toEqual([false, undefined]);
    const raised = jobOf({ ...bounded, slots_per_worker: 3 });
    // It does not overtake the jobs of its organization that wait already.
    expect(queue.mayStartAtOnce(raised)).toBe(false);
    queue.enqueue(raised);
    expect([queue.next(), queue.next(), queue.next()].filter(Boolean)).toHaveLength(2);
  });
});

describe('classes', () => {
  it('start a job of a higher class with the next free slot, under ten times the load', () => {
    const queue = queueWith(5);
    saturate(queue, { owners: [LOW], slots: 4, ends: 400, tokensOf: () => 100 });
    for (let job = 0; job < 40; job += 1) queue.enqueue(jobOf(LOW));
    for (let request = 0; request < 20; request += 1) {
      queue.enqueue(jobOf(HIGH));
      const job = queue.next();
      expect(job?.owner).toBe(HIGH);
      if (job === undefined) return;
      // Until the next request, ten jobs of the lower class are served.
      for (let other = 0; other < 10; other += 1) {
        queue.enqueue(jobOf(LOW));
        const low = queue.next();
        if (low === undefined) throw new Error('the queue ran dry');
        queue.charge(low, 100);
        queue.end(low, 100);
      }
      queue.charge(job, 100);
      queue.end(job, 100);
    }
  });

  it.each([5, 20])('keep a least share of %d percent for the lowest class', (percent) => {
    const shares = sharesOf(
      saturate(queueWith(percent), {
        owners: [HIGH, LOW],
        slots: 4,
        ends: 4_000,
        tokensOf: mixedTokens(),
      }),
    );
    expect(shares['low']).toBeGreaterThan((percent / 100) * 0.99);
    expect(shares['low']).toBeLessThan((percent / 100) * 1.1);
  });

  it('never wait for a lower class if there is no least share', () => {
    const served = saturate(queueWith(0), {
      owners: [HIGH, LOW],
      slots: 2,
      ends: 100,
      tokensOf: () => 50,
    });
    expect(served.get('low')).toBe(0);
  });

  it('never start several jobs on the credit for one', () => {
    const queue = queueWith(10);
    const served = saturate(queue, { owners: [HIGH], slots: 8, ends: 50, tokensOf: () => 1_000 });
    expect(served.get('high')).toBeGreaterThan(0);
    for (let job = 0; job < 20; job += 1) queue.enqueue(jobOf(LOW));
    const high = jobOf(HIGH);
    queue.startAtOnce(high);
    // The charge of 1,000 tokens is a credit of 100, and a job takes about 1,000.
    queue.charge(high, 1_000);
    const started = [queue.next(), queue.next(), queue.next()];
    expect(started.map((job) => job?.owner)).toEqual([LOW, HIGH, HIGH]);
  });

  it('keep the least share of each class, whatever its jobs and the slots are', () => {
    const anyTokens = fc.array(fc.integer({ min: 1, max: 800 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(
        anyTokens,
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 20 }),
        (tokens, slots, percent) => {
          let turn = 0;
          const tokensOf = () => tokens[(turn += 1) % tokens.length] ?? 1;
          const owners = [HIGH, { organization: 'middle' }, LOW];
          const served = saturate(queueWith(percent), { owners, slots, ends: 500, tokensOf });
          const total = [...served.values()].reduce((sum, each) => sum + each, 0);
          // A class is behind by one job for each slot at most.
          const behind = slots * Math.max(...tokens);
          expect(served.get('low')).toBeGreaterThanOrEqual((percent / 100) * total - behind);
          const higher = total - (served.get('low') ?? 0);
          expect(served.get('middle')).toBeGreaterThanOrEqual((percent / 100) * higher - behind);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('make room in a full queue from the lowest class, which keeps its share of the places', () => {
    const queue = queueWith(10);
    for (let job = 0; job < 20; job += 1) queue.enqueue(jobOf(LOW));
    let displaced = 0;
    for (let job = 0; job < 30; job += 1) {
      const gone = queue.displaceFor(jobOf(HIGH));
      if (gone === undefined) break;
      expect(gone.owner).toBe(LOW);
      queue.enqueue(jobOf(HIGH));
      displaced += 1;
    }
    expect(displaced).toBe(18);
    expect(queue.displaceFor(jobOf(LOW))).toBeUndefined();
    // Places that the lowest class does not use are taken by others, until it needs them again.
    const only = queueWith(10);
    for (let job = 0; job < 20; job += 1) only.enqueue(jobOf(HIGH));
    expect(only.displaceFor(jobOf(LOW))?.owner).toBe(HIGH);
  });

  it('of a newer gateway are counted as the nearest known one', () => {
    const queue = queueWith();
    queue.enqueue(jobOf({ organization: 'newer', scheduling_class: 99 }));
    queue.enqueue(jobOf({ organization: 'older', scheduling_class: 7 }));
    expect(queue.loads).toEqual([{ class: 7, running: 0, queued: 2, tokens: 0 }]);
  });
});

it('makes room for bytes at the organization that has most of them, in any class', () => {
  const queue = queueWith();
  queue.enqueue(jobOf(HIGH, { bytes: 10 }));
  queue.enqueue(jobOf(HIGH, { bytes: 20 }));
  queue.enqueue(jobOf(LOW, { bytes: 5 }));
  expect(queue.displaceBytesFor(jobOf(LOW, { bytes: 30 }))).toBeUndefined();
  expect(queue.displaceBytesFor(jobOf(LOW, { bytes: 6 }))).toMatchObject({ bytes: 20 });
  expect(queue.bytes).toBe(15);
});
