import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseWorker as choose } from './choose-worker.ts';
import { FleetTable, type WorkerView } from './fleet-table.ts';
import { heartbeatOf } from './heartbeat-fixture.ts';

const model = { pool: 'default', runtime_model: 'large' };

function fleetOf(...workers: string[]): readonly WorkerView[] {
  const fleet = new FleetTable(() => 0);
  for (const worker of workers) fleet.heard(heartbeatOf(worker));
  return fleet.candidates(model, new Set());
}

/** Evenly spread, and the same in every run. */
let drawn = 0;
const draw = () => {
  drawn += 1;
  return (drawn * 0.618_033_988_749_895) % 1;
};

const chooseWorker = (workers: readonly WorkerView[], affinity: number) =>
  choose(workers, { affinity, lastWorker: undefined, random: draw });

const affinities = Array.from({ length: 1_000 }, (_, index) => Math.imul(index, 0x9e37_79b1) >>> 0);

describe('the choice of a worker', () => {
  test('is the same for each turn of a conversation', () => {
    const workers = fleetOf('a', 'b', 'c', 'd');
    for (const affinity of affinities) {
      const first = chooseWorker(workers, affinity);
      expect(first?.reason).toBe('affinity');
      expect(chooseWorker(workers, affinity)?.worker).toBe(first?.worker);
    }
  });

  test('spreads conversations evenly', () => {
    const workers = fleetOf('a', 'b', 'c', 'd');
    const counts = new Map<string, number>();
    for (const affinity of affinities) {
      const id = chooseWorker(workers, affinity)?.worker.id ?? '';
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    for (const count of counts.values()) expect(Math.abs(count - 250)).toBeLessThan(75);
  });

  test('moves only the conversations of a worker that goes', () => {
    const all = fleetOf('a', 'b', 'c', 'd');
    const fewer = all.filter(({ id }) => id !== 'd');
    for (const affinity of affinities) {
      const before = chooseWorker(all, affinity)?.worker;
      const after = chooseWorker(fewer, affinity)?.worker;
      expect(after === before || before?.id === 'd').toBe(true);
    }
  });

  test('never takes one far above the mean, however the conversations fall', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(0xff_ff_ff_ff), { minLength: 1, maxLength: 200, size: 'max' }),
        fc.integer({ min: 1, max: 8 }),
        (jobs, size) => {
          const workers = fleetOf(...Array.from({ length: size }, (_, index) => `worker${index}`));
          for (const [index, affinity] of jobs.entries()) {
            const { worker } = chooseWorker(workers, affinity) ?? {};
            if (worker === undefined) throw new Error('nobody was chosen');
            worker.load = { ...worker.load, running: worker.load.running + 1 };
            expect(worker.load.running).toBeLessThanOrEqual(Math.ceil((1.5 * (index + 1)) / size));
          }
        },
      ),
    );
  });

  test.each([
    { slots: 1, running: [1, 0] },
    { slots: 8, running: [8, 3] },
    { slots: 64, running: [64, 23] },
    { slots: 64, running: [64, 64, 64, 40] },
  ])('is no full one while another has a free slot: %o', ({ slots, running }) => {
    const workers = fleetOf(...running.map((_, index) => `worker${index}`));
    for (const [index, worker] of workers.entries()) {
      worker.load = { ...worker.load, slots, running: running[index] ?? 0 };
    }
    for (const affinity of affinities) {
      for (const lastWorker of [undefined, 'worker0']) {
        const choice = choose(workers, { affinity, lastWorker, random: draw });
        expect(choice?.worker.load.running).toBeLessThan(slots);
      }
    }
  });

  test('of a prompt that everybody sends is spread by load', () => {
    const workers = fleetOf('a', 'b', 'c', 'd');
    for (let count = 0; count < 40; count += 1) {
      const { worker } = chooseWorker(workers, 42) ?? {};
      if (worker !== undefined) worker.offered += 1;
    }
    for (const { offered } of workers) expect(offered).toBeGreaterThanOrEqual(5);
  });

  test('weighs workers by their slots', () => {
    const workers = fleetOf('small', 'large');
    for (const worker of workers) {
      worker.load = { ...worker.load, slots: worker.id === 'small' ? 2 : 30 };
    }
    for (const affinity of affinities.slice(0, 32)) {
      const { worker } = chooseWorker(workers, affinity) ?? {};
      if (worker !== undefined) worker.offered += 1;
    }
    const small = workers.find(({ id }) => id === 'small');
    expect(small?.offered).toBeLessThanOrEqual(3);
  });

  test('is the idle one of workers that have no slots to tell of', () => {
    const workers = fleetOf('idle', 'busy');
    for (const worker of workers) {
      worker.load = { ...worker.load, slots: 0, queued: worker.id === 'busy' ? 3 : 0 };
    }
    for (const affinity of affinities.slice(0, 32)) {
      expect(chooseWorker(workers, affinity)?.worker.id).toBe('idle');
    }
  });

  test('returns to where the last turn went, as long as there is room', () => {
    const workers = fleetOf('a', 'b', 'c', 'd');
    const own = chooseWorker(workers, 42)?.worker.id;
    const lastWorker = workers.find(({ id }) => id !== own)?.id;
    const again = () => choose(workers, { affinity: 42, lastWorker, random: draw });
    expect(again()).toMatchObject({ worker: { id: lastWorker }, reason: 'last_turn' });
    for (const worker of workers) worker.offered = worker.id === lastWorker ? 3 : 0;
    expect(again()).toMatchObject({ worker: { id: own }, reason: 'affinity' });
  });

  test('is nobody where nobody is', () => {
    expect(chooseWorker([], 1)).toBeUndefined();
  });
});
