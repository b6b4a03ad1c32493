import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairQueue } from './fair-queue.ts';

describe('a fair queue', () => {
  it('serves the one job of a newcomer before five hundred jobs of another organization', () => {
    const queue = new FairQueue<string>(() => 0);
    queue.startAtOnce('busy');
    queue.charge('busy', 1_000);
    for (let job = 0; job < 500; job += 1) queue.enqueue('busy', `busy-${job}`);
    expect(queue.next()).toBe('busy-0');
    queue.charge('busy', 100);
    queue.enqueue('newcomer', 'newcomer-0');
    expect(queue.next()).toBe('newcomer-0');
  });

  it('keeps the order of one organization', () => {
    const queue = new FairQueue<number>(() => 0);
    for (const job of [1, 2, 3]) queue.enqueue('a', job);
    expect([queue.next(), queue.next(), queue.next(), queue.next()]).toEqual([1, 2, 3, undefined]);
    expect(queue.size).toBe(0);
  });

  it('gives no credit for idle time', () => {
    const queue = new FairQueue<string>(() => 0);
    queue.startAtOnce('early');
    queue.end('early');
    queue.startAtOnce('steady');
    queue.charge('steady', 10_000);
    queue.enqueue('early', 'early-0');
    queue.enqueue('early', 'early-1');
    queue.enqueue('steady', 'steady-0');
    expect(queue.next()).toBe('early-0');
    queue.charge('early', 1);
    expect(queue.next()).toBe('steady-0');
  });

  it.each(['slow', 'newcomer'])(
    'gives %s no credit while a slow generation is running',
    (organization) => {
      const queue = new FairQueue<string>(() => 0);
      queue.startAtOnce('slow');
      for (let job = 0; job < 10; job += 1) queue.enqueue('busy', `busy-${job}`);
      for (let job = 0; job < 5; job += 1) {
        queue.next();
        queue.charge('slow', 1);
        queue.charge('busy', 1_000);
        queue.end('busy');
      }
      for (let job = 0; job < 10; job += 1) queue.enqueue(organization, organization);
      const served: string[] = [];
      for (let job = 0; job < 4; job += 1) {
        const next = queue.next() ?? 'none';
        const whose = next === organization ? organization : 'busy';
        queue.charge(whose, 1_000);
        queue.end(whose);
        served.push(whose);
      }
      expect(served.toSorted()).toEqual(['busy', 'busy', organization, organization].toSorted());
    },
  );

  it('gives an organization with few tokens no credit for what another used while no job waited', () => {
    const queue = new FairQueue<string>(() => 0);
    queue.startAtOnce('trickle');
    for (let job = 0; job < 100; job += 1) {
      queue.startAtOnce('heavy');
      queue.charge('heavy', 10_000);
      queue.charge('trickle', 1);
      queue.end('heavy');
    }
    for (let job = 0; job < 500; job += 1) queue.enqueue('trickle', 'trickle');
    queue.enqueue('heavy', 'heavy');
    let servedBefore = 0;
    while (queue.next() === 'trickle') {
      queue.charge('trickle', 1_000);
      queue.end('trickle');
      servedBefore += 1_000;
    }
    // The debt is only that of the last job, which started before any job waited.
    expect(servedBefore).toBe(10_000);
  });

  it('starts newcomers at the counter of waiting organizations, even if another one gets a free slot', () => {
    const queue = new FairQueue<string>(() => 0);
    queue.startAtOnce('patient');
    queue.startAtOnce('heavy');
    queue.charge('heavy', 1_000_000);
    for (let job = 0; job < 10; job += 1) queue.enqueue('patient', 'patient');
    queue.startAtOnce('heavy');
    for (let job = 0; job < 10; job += 1) queue.enqueue('newcomer', 'newcomer');
    const served: string[] = [];
    for (let job = 0; job < 4; job += 1) {
      const next = queue.next() ?? 'none';
      queue.charge(next, 1_000);
      queue.end(next);
      served.push(next);
    }
    expect(served.toSorted()).toEqual(['newcomer', 'newcomer', 'patient', 'patient']);
  });

  it('gives no credit for an estimate that was too high', () => {
    const queue = new FairQueue<string>(() => 0);
    queue.startAtOnce('other');
    for (let job = 0; job < 8; job += 1) {
      queue.startAtOnce('padded');
      queue.charge('padded', 10_000);
    }
    for (const organization of ['padded', 'padded', 'other']) {
      queue.enqueue(organization, organization);
    }
    for (let job = 0; job < 8; job += 1) {
      queue.charge('padded', -9_000);
      queue.end('padded');
    }
    expect(queue.next()).toBe('padded');
    queue.charge('padded', 1_000);
    expect(queue.next()).toBe('other');
  });

  it('corrects an estimate without going before organizations that entered in the meantime', () => {
    const queue = new FairQueue<string>(() => 0);
    queue.startAtOnce('padded');
    queue.charge('padded', 10_000);
    for (const organization of ['padded', 'padded', 'other']) {
      queue.enqueue(organization, organization);
    }
    queue.charge('padded', -9_000);
    queue.end('padded');
    expect(queue.next()).toBe('padded');
    queue.charge('padded', 1_000);
    expect(queue.next()).toBe('other');
  });

  it('puts a newcomer before an organization that waits with a corrected estimate', () => {
    const queue = new FairQueue<string>(() => 0);
    for (let job = 0; job < 8; job += 1) {
      queue.startAtOnce('padded');
      queue.charge('padded', 10_000);
    }
    for (let job = 0; job < 3; job += 1) queue.enqueue('padded', 'padded');
    for (let job = 0; job < 7; job += 1) {
      queue.charge('padded', -9_000);
      queue.end('padded');
    }
    queue.enqueue('newcomer', 'newcomer');
    expect(queue.next()).toBe('newcomer');
    queue.charge('newcomer', 1_000);
    expect(queue.next()).toBe('padded');
  });

  it.each([10_000, 100])(
    'gives equal shares to jobs of 1,000 tokens, known or estimated at %d',
    (estimate) => {
      const queue = new FairQueue<string>(() => 0);
      const served = new Map([
        ['estimated', 0],
        ['known', 0],
      ]);
      const running: string[] = [];
      for (const organization of served.keys()) {
        for (let job = 0; job < 1_000; job += 1) queue.enqueue(organization, organization);
      }
      for (let job = 0; job < 1_000; job += 1) {
        const next = queue.next() ?? 'none';
        queue.charge(next, next === 'estimated' ? estimate : 1_000);
        running.push(next);
        if (running.length < 8) continue;
        const ended = running.shift() ?? 'none';
        queue.charge(ended, ended === 'estimated' ? 1_000 - estimate : 0);
        queue.end(ended);
        served.set(ended, (served.get(ended) ?? 0) + 1_000);
      }
      const [one = 0, other = 0] = served.values();
      // The difference is bounded by the jobs in flight, and does not grow with time.
      expect(Math.abs(one - other)).toBeLessThanOrEqual(8 * Math.max(1_000, estimate));
    },
  );

  it('keeps the debt of an idle organization while others are active', () => {
    const queue = new FairQueue<string>(() => 0);
    queue.startAtOnce('modest');
    queue.startAtOnce('greedy');
    queue.charge('greedy', 5_000);
    queue.end('greedy');
    queue.enqueue('greedy', 'greedy-0');
    queue.enqueue('modest', 'modest-0');
    expect(queue.next()).toBe('modest-0');
    expect(queue.next()).toBe('greedy-0');
  });

  it('remembers every debt, and at most as many idle organizations without a debt', () => {
    const queue = new FairQueue<string>(() => 0);
    queue.startAtOnce('modest');
    for (let debtor = 0; debtor < 300; debtor += 1) {
      queue.startAtOnce(`debtor-${debtor}`);
      queue.charge(`debtor-${debtor}`, 5_000);
      queue.end(`debtor-${debtor}`);
    }
    for (let passer = 0; passer < 3_000; passer += 1) {
      queue.startAtOnce(`passer-${passer}`);
      queue.end(`passer-${passer}`);
      expect(queue.tenants).toBeLessThanOrEqual(1 + 2 * 300);
    }
    for (let debtor = 0; debtor < 300; debtor += 1) queue.enqueue(`debtor-${debtor}`, 'debtor');
    queue.enqueue('modest', 'modest');
    expect(queue.next()).toBe('modest');
  });

  it('displaces the newest job of the organization with most jobs, for one with fewer', () => {
    const queue = new FairQueue<string>(() => 0);
    for (const job of ['a1', 'a2', 'a3']) queue.enqueue('a', job);
    queue.enqueue('b', 'b1');
    expect(queue.displaceFor('c')).toBe('a3');
    expect(queue.size).toBe(3);
    expect(queue.displaceFor('a')).toBeUndefined();
    // With another job, b would have two jobs too, so its job is refused.
    expect(queue.displaceFor('b')).toBeUndefined();
    expect(queue.displaceFor('c')).toBe('a2');
    expect(queue.displaceFor('c')).toBeUndefined();
  });

  it('removes a job once', () => {
    const queue = new FairQueue<string>(() => 0);
    queue.enqueue('a', 'a1');
    expect(queue.remove('a', 'a1')).toBe(true);
    expect(queue.remove('a', 'a1')).toBe(false);
    expect(queue.remove('b', 'a1')).toBe(false);
    expect([queue.size, queue.tenants]).toEqual([0, 0]);
  });

  it('shares a long run of unequal jobs equally by tokens', () => {
    const queue = new FairQueue<{ organization: string; tokens: number }>(() => 0);
    const served = new Map<string, number>();
    const costs = { small: 10, middle: 130, large: 900 };
    const supply = (organization: keyof typeof costs) =>
      queue.enqueue(organization, { organization, tokens: costs[organization] });
    for (const organization of ['small', 'middle', 'large'] as const) supply(organization);
    for (let turn = 0; turn < 20_000; turn += 1) {
      const job = queue.next();
      if (job === undefined) throw new Error('the queue ran dry');
      queue.charge(job.organization, job.tokens);
      served.set(job.organization, (served.get(job.organization) ?? 0) + job.tokens);
      supply(job.organization as keyof typeof costs);
      queue.end(job.organization);
    }
    const shares = [...served.values()];
    expect(Math.max(...shares) / Math.min(...shares)).toBeLessThan(1.01);
  });

  it('forgets all organizations when none is active, after any sequence of calls', () => {
    const organization = fc.constantFrom('a', 'b', 'c', 'd');
    const step = fc.oneof(
      fc.record({ kind: fc.constant('enqueue' as const), organization }),
      fc.record({ kind: fc.constant('start' as const), organization }),
      fc.record({ kind: fc.constant('charge' as const), organization }),
      fc.record({ kind: fc.constant('displace' as const), organization }),
      fc.record({ kind: fc.constant('next' as const), organization }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
        const queue = new FairQueue<{ organization: string }>(() => 7);
        const running: string[] = [];
        for (const { kind, organization: name } of steps) {
          if (kind === 'enqueue') queue.enqueue(name, { organization: name });
          else if (kind === 'start') {
            queue.startAtOnce(name);
            running.push(name);
          } else if (kind === 'charge') queue.charge(name, 7);
          else if (kind === 'displace') queue.displaceFor(name);
          else {
            const job = queue.next();
            if (job !== undefined) running.push(job.organization);
          }
        }
        for (let job = queue.next(); job !== undefined; job = queue.next()) {
          running.push(job.organization);
        }
        expect([queue.size, queue.bytes]).toEqual([0, 0]);
        for (const name of running) queue.end(name);
        expect(queue.tenants).toBe(0);
      }),
    );
  });
});
