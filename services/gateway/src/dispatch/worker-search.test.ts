import { expect, test } from 'vitest';
import { DetourMemory } from './detour-memory.ts';
import { FleetTable } from './fleet-table.ts';
import { heartbeatOf } from './heartbeat-fixture.ts';
import { WorkerSearch } from './worker-search.ts';

const examined = { model: { pool: 'default', runtime_model: 'large' }, affinity: 7 };

function searchAmong(...workers: string[]) {
  const fleet = new FleetTable(() => 0);
  for (const worker of workers) fleet.heard(heartbeatOf(worker));
  const detours = new DetourMemory();
  return { search: new WorkerSearch({ fleet, random: () => 0, detours, examined }), detours };
}

/** Offers the job to whoever is next, who refuses it. */
function offerNext(search: WorkerSearch): string | undefined {
  const choice = search.next();
  if (choice === undefined) return undefined;
  search.offered(choice);
  search.exclude(choice.worker.id);
  return choice.worker.id;
}

test('nobody is asked twice', () => {
  const { search } = searchAmong('a', 'b');
  expect(new Set([offerNext(search), offerNext(search)])).toEqual(new Set(['a', 'b']));
  expect(search.next()).toBeUndefined();
  expect(search.hasOther).toBe(false);
  expect(search.isServed).toBe(true);
});

test('it is over after three offers, and begins anew without the one that gave the job back', () => {
  const { search } = searchAmong('a', 'b', 'c', 'd');
  offerNext(search);
  offerNext(search);
  expect(search.isOver).toBe(false);
  offerNext(search);
  expect(search.isOver).toBe(true);
  expect(search.next()).toBeUndefined();
  search.beginAnew('a');
  expect(search.isOver).toBe(false);
  const asked = [offerNext(search), offerNext(search), offerNext(search)];
  expect(new Set(asked)).toEqual(new Set(['b', 'c', 'd']));
});

test('one that was passed over is asked again when everybody else has been', () => {
  const { search } = searchAmong('a', 'b');
  const slow = search.next()?.worker.id ?? '';
  expect(search.passOver(slow)).toBe(true);
  expect(offerNext(search)).not.toBe(slow);
  expect(offerNext(search)).toBe(slow);
  // Once.
  expect(search.next()).toBeUndefined();
});

test('one that was slow and then gave the job back is not asked again', () => {
  const { search } = searchAmong('a', 'b');
  const slow = search.next()?.worker.id ?? '';
  search.passOver(slow);
  search.beginAnew(slow);
  expect(offerNext(search)).not.toBe(slow);
  expect(search.next()).toBeUndefined();
});

test('the last one is not passed over, nor is anybody for the sake of a fourth offer', () => {
  const { search } = searchAmong('a');
  expect(search.passOver('a')).toBe(false);
  const many = searchAmong('a', 'b', 'c', 'd').search;
  offerNext(many);
  offerNext(many);
  const third = many.next();
  if (third === undefined) throw new Error('nobody is left');
  many.offered(third);
  expect(many.passOver(third.worker.id)).toBe(false);
});

test('those who are readmitted are asked again, and no others', () => {
  const { search } = searchAmong('a', 'b');
  offerNext(search);
  offerNext(search);
  search.readmit('b');
  expect(search.next()?.worker.id).toBe('b');
  search.exclude('b');
  expect(search.next()).toBeUndefined();
  search.askOnce();
  expect(offerNext(search)).toBeDefined();
  expect(search.next()).toBeUndefined();
});

test('a detour is remembered until the conversation is back at its own worker', () => {
  const { search, detours } = searchAmong('a', 'b');
  const own = search.next();
  if (own === undefined) throw new Error('nobody serves the model');
  expect(own.reason).toBe('affinity');
  const other = own.worker.id === 'a' ? 'b' : 'a';
  search.offered({ worker: { ...own.worker, id: other }, reason: 'less_loaded' });
  expect(detours.get(examined.affinity)).toBe(other);
  expect(search.next()).toMatchObject({ worker: { id: other }, reason: 'last_turn' });
  search.offered(own);
  expect(detours.get(examined.affinity)).toBeUndefined();
});

test('a model that nobody has heard of is served by nobody', () => {
  const { search } = searchAmong();
  expect(search.isServed).toBe(false);
  expect(search.next()).toBeUndefined();
});
