import { expect, test } from 'vitest';
import { FaultLog, type Fault } from './fault-log.ts';
import { FaultQueue, inflictFaults, type FaultPlan } from './faults.ts';
import { Random } from './random.ts';

const plans: FaultPlan[] = ['one', 'two', 'three', 'four'].map((name) => ({
  name,
  prepare: async () => async () => undefined,
}));

test('every fault comes once before one comes again, in an order that the seed decides', () => {
  const draw = (seed: number) => {
    const queue = new FaultQueue(plans, new Random(seed));
    return Array.from({ length: 8 }, () => queue.next()?.name);
  };
  const drawn = draw(1);
  const all = new Set(plans.map(({ name }) => name));
  expect(new Set(drawn.slice(0, 4))).toEqual(all);
  expect(new Set(drawn.slice(4))).toEqual(all);
  expect(draw(1)).toEqual(drawn);
  expect(draw(2)).not.toEqual(drawn);
});

test('an empty list of faults gives no fault', () => {
  expect(new FaultQueue([], new Random(1)).next()).toBeUndefined();
});

async function inflict(...faults: FaultPlan[]): Promise<readonly Fault[]> {
  const log = new FaultLog();
  const queue = { next: () => faults.shift() };
  await inflictFaults({ queue, log, until: Infinity, pauseMs: 0, say: () => undefined });
  return log.faults;
}

test('a fault begins when it is inflicted, and not while it is prepared', async () => {
  let preparedAt = Infinity;
  let struckAt = 0;
  const [fault] = await inflict({
    name: 'kill worker',
    prepare: async () => {
      preparedAt = performance.now();
      return async () => {
        struckAt = performance.now();
      };
    },
  });
  expect(fault?.startedAt).toBeGreaterThanOrEqual(preparedAt);
  expect(fault?.startedAt).toBeLessThanOrEqual(struckAt);
  expect(fault?.recoveredAt).toBeGreaterThanOrEqual(struckAt);
});

test('a fault that cannot be prepared is logged with its reason, and the next one follows', async () => {
  const faults = await inflict(
    { name: 'kill worker', prepare: () => Promise.reject(new Error('the stack has no worker')) },
    { name: 'kill redis', prepare: async () => async () => undefined },
  );
  expect(faults).toMatchObject([
    { name: 'kill worker', failure: 'the stack has no worker' },
    { name: 'kill redis' },
  ]);
});
