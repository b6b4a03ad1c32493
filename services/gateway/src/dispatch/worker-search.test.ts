import { expect, test } from 'vitest';
import { FleetTable } from '../fleet/fleet-table.ts';
import { heartbeatOf } from '../fleet/heartbeat-fixture.ts';
import { HeldSlots } from './held-slots.ts';
import { WorkerSearch } from './worker-search.ts';

const examined = {
  model: { pool: 'default', runtime_model: 'large' },
  conversation: 7,
  prefix: { hashes: Int32Array.of(1, 2, 3), tokensPerCharacter: 0.25 },
};

function searchAmong(...workers: string[]) {
  const fleet = new FleetTable(() => 0);
  for (const worker of workers) fleet.update(heartbeatOf(worker));
  return { search: new WorkerSearch({ fleet, random: () => 0, examined }), fleet };
}

/** Offers the job to the next worker, which refuses it. */
function offerNext(search: WorkerSearch): string | undefined {
  const choice = search.next();
  if (choice === undefined) return undefined;
  search.offered(choice);
  search.exclude(choice.worker.id);
  return choice.worker.id;
}

test('no worker is asked twice', () => {
  const { search } = searchAmong('a', 'b');
  expect(new Set([offerNext(search), offerNext(search)])).toEqual(new Set(['a', 'b']));
  expect(search.next()).toBeUndefined();
  expect(search.hasOther).toBe(false);
  expect(search.isServed).toBe(true);
});

test('the search is over after three offers and restarts without the worker that returned the job', () => {
  const { search } = searchAmong('a', 'b', 'c', 'd');
  offerNext(search);
  offerNext(search);
  expect(search.isOver).toBe(false);
  offerNext(search);
  expect(search.isOver).toBe(true);
  expect(search.next()).toBeUndefined();
  search.restart('a');
  expect(search.isOver).toBe(false);
  const asked = [offerNext(search), offerNext(search), offerNext(search)];
  expect(new Set(asked)).toEqual(new Set(['b', 'c', 'd']));
});

test('a skipped worker is asked again after all others', () => {
  const { search } = searchAmong('a', 'b');
  const slow = search.next()?.worker.id ?? '';
  expect(search.skipIfOthersRemain(slow)).toBe(true);
  expect(offerNext(search)).not.toBe(slow);
  expect(offerNext(search)).toBe(slow);
  // It is asked again only once.
  expect(search.next()).toBeUndefined();
});

test('a slow worker that then returned the job is not asked again', () => {
  const { search } = searchAmong('a', 'b');
  const slow = search.next()?.worker.id ?? '';
  search.skipIfOthersRemain(slow);
  search.restart(slow);
  expect(offerNext(search)).not.toBe(slow);
  expect(search.next()).toBeUndefined();
});

test('no worker is skipped if it is the last one or the offers are used up', () => {
  const { search } = searchAmong('a');
  expect(search.skipIfOthersRemain('a')).toBe(false);
  const many = searchAmong('a', 'b', 'c', 'd').search;
  offerNext(many);
  offerNext(many);
  const third = many.next();
  if (third === undefined) throw new Error('no worker is left');
  many.offered(third);
  expect(many.skipIfOthersRemain(third.worker.id)).toBe(false);
});

test('only workers that are allowed again are asked again', () => {
  const { search } = searchAmong('a', 'b');
  offerNext(search);
  offerNext(search);
  search.allowAgain('b');
  expect(search.next()?.worker.id).toBe('b');
  search.exclude('b');
  expect(search.next()).toBeUndefined();
  search.allowOneOffer();
  expect(offerNext(search)).toBeDefined();
  expect(search.next()).toBeUndefined();
});

test('the next turn of a conversation goes to the worker that was offered the previous one', () => {
  const { fleet } = searchAmong('a', 'b', 'c', 'd');
  const next = (random: number) =>
    new WorkerSearch({ fleet, random: () => random, examined }).next();
  expect(next(0)?.worker.id).not.toBe(next(0.9)?.worker.id);
  const search = new WorkerSearch({ fleet, random: () => 0.9, examined });
  const first = search.next();
  if (first === undefined) throw new Error('no worker serves the model');
  search.offered(first);
  expect(next(0)).toMatchObject({ worker: { id: first.worker.id }, reason: 'warm_cache' });
});

test('a model without workers is not served', () => {
  const { search } = searchAmong();
  expect(search.isServed).toBe(false);
  expect(search.next()).toBeUndefined();
});

test('workers at which the organization holds all its slots are asked last', () => {
  const held = new HeldSlots();
  const bounded = { organization: 'acme', slotsPerWorker: 2 };
  const fleet = new FleetTable(() => 0);
  for (const worker of ['a', 'b']) fleet.update(heartbeatOf(worker));
  const next = () => {
    const fullWorkers = () => held.fullFor(bounded);
    return new WorkerSearch({ fleet, random: () => 0, fullWorkers, examined }).next()?.worker.id;
  };
  const own = next() ?? '';
  const first = held.hold(bounded, own);
  expect(next()).toBe(own);
  using second = held.hold(bounded, own);
  const other = next() ?? '';
  expect([own, other].toSorted()).toEqual(['a', 'b']);
  // With all workers at the bound, the job waits at the worker of its conversation.
  const atOther = [held.hold(bounded, other), held.hold(bounded, other)];
  expect(next()).toBe(own);
  for (const each of [...atOther, first]) each[Symbol.dispose]();
  expect(next()).toBe(own);
  expect(held.size).toBe(1);
  expect(second).toBeDefined();
});
