import { BLOCK_ENDS, type PromptPrefix } from '@sluice/contracts';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FleetTable } from './fleet-table.ts';
import { heartbeatOf } from './heartbeat-fixture.ts';
import type { WorkerView } from './worker-view.ts';

const model = { pool: 'default', runtime_model: 'large' };

/** Random numbers that are the same in every run. */
let drawn = 0;
const draw = () => {
  drawn += 1;
  return (drawn * 0.618_033_988_749_895) % 1;
};

/** A prompt whose blocks have the given hashes. The first blocks have 64 tokens each. */
const promptOf = (...hashes: number[]): PromptPrefix => ({
  hashes: Int32Array.from(hashes),
  tokensPerCharacter: 0.25,
});
const SHORT = promptOf();

/** A prompt of about 4,000 tokens whose beginning no other prompt has. */
const longPrompt = (number: number) =>
  promptOf(
    ...BLOCK_ENDS.filter((end) => end <= 16_384).map((_, index) => number * 1_000 + index + 1),
  );

function setUp(...ids: string[]) {
  const fleet = new FleetTable(() => 0, 8_192);
  for (const id of ids) fleet.update(heartbeatOf(id));
  const workers = fleet.candidates(model, new Set());
  const choose = (prefix: PromptPrefix, except: readonly string[] = []) =>
    fleet.choose(model, { prefix, except: new Set(except), random: draw });
  /** Chooses a worker and offers it the job, as a dispatcher does. */
  const offer = (prefix: PromptPrefix): WorkerView => {
    const worker = choose(prefix)?.worker;
    if (worker === undefined) throw new Error('no worker was chosen');
    fleet.recordPrompt(worker, prefix);
    worker.offered += 1;
    return worker;
  };
  return { fleet, workers, choose, offer };
}

function loadOf(worker: WorkerView | undefined, running: number, slots = 4): void {
  if (worker !== undefined) worker.load = { slots, running, queued: 0, queue_limit: 8 };
}

describe('the choice of a worker', () => {
  test('is undefined without workers', () => {
    expect(setUp().choose(SHORT)).toBeUndefined();
  });

  test('returns to the worker that has served the beginning of the prompt', () => {
    const { offer, choose } = setUp('a', 'b', 'c', 'd');
    for (let number = 0; number < 100; number += 1) {
      const first = offer(longPrompt(number));
      first.offered = 0;
      const longer = promptOf(...longPrompt(number).hashes, -1);
      expect(choose(longer)).toMatchObject({ worker: { id: first.id }, reason: 'warm_cache' });
    }
  });

  test('prefers the cache that holds the longer beginning', () => {
    const { fleet, workers, choose } = setUp('a', 'b', 'c');
    const [a, b] = workers;
    if (a === undefined || b === undefined) throw new Error('a worker is missing');
    fleet.recordPrompt(a, promptOf(1, 2, 3, 4));
    fleet.recordPrompt(b, promptOf(1, 2));
    const choice = choose(promptOf(1, 2, 3, 4, 5));
    expect(choice).toMatchObject({ worker: { id: 'a' }, expectedCachedTokens: 256 });
    expect(choose(promptOf(1, 2, 9), ['a'])?.worker.id).toBe('b');
    expect(choose(promptOf(9, 2))?.reason).toBe('least_loaded');
  });

  test('spreads prompts without a warm cache evenly', () => {
    const { workers, offer } = setUp('a', 'b', 'c', 'd');
    for (let number = 0; number < 100; number += 1) offer(longPrompt(number));
    expect(workers.map(({ offered }) => offered)).toEqual([25, 25, 25, 25]);
  });

  test('reaches every idle worker', () => {
    const { choose } = setUp('a', 'b', 'c', 'd');
    const chosen = new Set<string | undefined>();
    for (let count = 0; count < 100; count += 1) chosen.add(choose(SHORT)?.worker.id);
    expect(chosen.size).toBe(4);
  });

  test('spreads a prompt shared by many clients by load', () => {
    const { workers, offer } = setUp('a', 'b', 'c', 'd');
    for (let count = 0; count < 40; count += 1) offer(longPrompt(1));
    for (const { offered } of workers) expect(offered).toBeGreaterThanOrEqual(5);
  });

  test('never loads a worker far above the mean, for any distribution of prompts', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(5), { minLength: 1, maxLength: 200, size: 'max' }),
        fc.integer({ min: 1, max: 8 }),
        (prompts, size) => {
          const ids = Array.from({ length: size }, (_, index) => `worker${index}`);
          const { offer } = setUp(...ids);
          for (const [index, number] of prompts.entries()) {
            const { offered } = offer(longPrompt(number));
            expect(offered).toBeLessThanOrEqual(Math.ceil((1.25 * (index + 1)) / size));
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
  ])('is never a full worker while another has a free slot: %o', ({ slots, running }) => {
    const { fleet, workers, choose } = setUp(...running.map((_, index) => `worker${index}`));
    for (const [index, worker] of workers.entries()) {
      loadOf(worker, running[index] ?? 0, slots);
      if (running[index] === slots) fleet.recordPrompt(worker, longPrompt(1));
    }
    for (const prefix of [SHORT, longPrompt(1)]) {
      expect(choose(prefix)?.worker.load.running).toBeLessThan(slots);
    }
  });

  test('weighs workers by their slots', () => {
    const { workers, offer } = setUp('small', 'large');
    for (const worker of workers) loadOf(worker, 0, worker.id === 'small' ? 2 : 30);
    for (let count = 0; count < 32; count += 1) offer(longPrompt(count % 4));
    expect(workers.find(({ id }) => id === 'small')?.offered).toBeLessThanOrEqual(3);
  });

  test('is the idle worker if the workers report no slots', () => {
    const { workers, choose } = setUp('idle', 'busy');
    loadOf(workers[0], 0, 0);
    loadOf(workers[1], 3, 0);
    for (let count = 0; count < 32; count += 1) expect(choose(SHORT)?.worker.id).toBe('idle');
  });

  test('gives up a warm cache of a few tokens for a worker with much less load', () => {
    const { fleet, workers, choose } = setUp('warm', 'cold');
    for (const worker of workers) loadOf(worker, worker.id === 'warm' ? 10 : 8, 16);
    const warm = workers.find(({ id }) => id === 'warm');
    if (warm === undefined) throw new Error('the worker is missing');
    fleet.recordPrompt(warm, longPrompt(1));
    expect(choose(longPrompt(1))?.worker.id).toBe('warm');
    expect(choose(promptOf(...longPrompt(1).hashes.subarray(0, 1)))?.worker.id).toBe('cold');
  });

  test('trusts a cache less whose replies report fewer cached tokens than expected', () => {
    const { fleet, workers, choose } = setUp('warm', 'cold');
    for (const worker of workers) loadOf(worker, worker.id === 'warm' ? 9 : 8, 64);
    const warm = workers.find(({ id }) => id === 'warm');
    if (warm === undefined) throw new Error('the worker is missing');
    const prompt = promptOf(1, 2, 3, 4);
    fleet.recordPrompt(warm, prompt);
    expect(choose(prompt)?.worker.id).toBe('warm');
    for (let reply = 0; reply < 20; reply += 1) {
      fleet.noteCachedTokens(warm, { expected: 256, reported: 0 });
    }
    expect(choose(prompt)?.worker.id).toBe('cold');
    for (let reply = 0; reply < 20; reply += 1) {
      fleet.noteCachedTokens(warm, { expected: 256, reported: 300 });
    }
    expect(choose(prompt)?.worker.id).toBe('warm');
  });

  test('learns from heartbeats which blocks other gateways have sent to a worker', () => {
    const { fleet, choose } = setUp('a', 'b', 'c', 'd');
    // The hashes 1, 2 and 3 in base64.
    fleet.update(heartbeatOf('c', { prefix_blocks: 'AQAAAAIAAAADAAAA' }));
    for (let count = 0; count < 20; count += 1) {
      expect(choose(promptOf(1, 2, 3))).toMatchObject({
        worker: { id: 'c' },
        expectedCachedTokens: 192,
      });
    }
  });

  test('forgets the blocks of a worker whose runtime has restarted', () => {
    const { fleet, choose } = setUp('a', 'b');
    fleet.update(heartbeatOf('a', { prefix_blocks: 'AQAAAA==' }));
    expect(choose(promptOf(1))?.reason).toBe('warm_cache');
    fleet.update(heartbeatOf('a', { models: [] }));
    expect(choose(promptOf(1))?.reason).toBe('least_loaded');
    fleet.update(heartbeatOf('a'));
    expect(choose(promptOf(1))?.reason).toBe('least_loaded');
  });

  test('forgets the blocks that a cache has evicted, and all of them when it was emptied', () => {
    const { fleet, choose } = setUp('a', 'b');
    fleet.update(heartbeatOf('a', { prefix_blocks: 'AQAAAAIAAAADAAAA' }));
    fleet.update(heartbeatOf('a', { cold_blocks: 'AgAAAAMAAAA=' }));
    expect(choose(promptOf(1, 2, 3))).toMatchObject({
      worker: { id: 'a' },
      expectedCachedTokens: 64,
    });
    fleet.update(heartbeatOf('a', { cache_epoch: 1 }));
    expect(choose(promptOf(1, 2, 3))?.reason).toBe('least_loaded');
    fleet.update(heartbeatOf('a', { cache_epoch: 1, prefix_blocks: 'AQAAAA==' }));
    expect(choose(promptOf(1))?.reason).toBe('warm_cache');
  });

  test('does not mix up the pools of one model', () => {
    const { fleet, choose } = setUp('a');
    fleet.update(heartbeatOf('batch', { pool: 'batch', prefix_blocks: 'AQAAAA==' }));
    expect(choose(promptOf(1))).toMatchObject({ worker: { id: 'a' }, reason: 'least_loaded' });
  });
});
