import type { WorkerView } from './fleet-table.ts';

export type ChoiceReason = 'affinity' | 'last_turn' | 'less_loaded';

export interface WorkerChoice {
  readonly worker: WorkerView;
  readonly reason: ChoiceReason;
}

/** How far above the mean a worker may be loaded and still get the conversations that hash to it. */
const BOUND = 1.5;

export interface Conversation {
  /** Equal for all of its turns. */
  readonly affinity: number;
  /** Where its last turn went, if that was not by the hash. */
  readonly lastWorker: string | undefined;
  readonly random: () => number;
}

/**
 * Rendezvous hashing with bounded loads: the conversation's own worker, whose cache is warm from its last turn, unless
 * it is much busier than the mean, or full while others are not. Then the less loaded of two others: the next by the
 * hash, so that the conversation finds it again, and any other, so that a prompt which everybody sends reaches all
 * workers.
 */
export function chooseWorker(
  candidates: readonly WorkerView[],
  { affinity, lastWorker, random }: Conversation,
): WorkerChoice | undefined {
  let jobs = 1;
  let slots = 0;
  for (const worker of candidates) {
    jobs += jobsOf(worker);
    slots += slotsOf(worker);
  }
  // A warm cache saves the reading of a prompt, a queue costs whole answers: nobody waits while a slot is free.
  const isAnyFree = candidates.some(hasFreeSlot);
  const hasRoom = (worker: WorkerView) =>
    (!isAnyFree || hasFreeSlot(worker)) &&
    jobsOf(worker) + 1 <= Math.ceil((BOUND * jobs * slotsOf(worker)) / slots);

  const [own, ...others] = candidates
    .map((worker) => ({ worker, rank: rankOf(worker.seed, affinity) }))
    .toSorted((left, right) => right.rank - left.rank);
  if (own === undefined) return undefined;
  const last = candidates.find(({ id }) => id === lastWorker);
  if (last !== undefined && hasRoom(last)) return { worker: last, reason: 'last_turn' };
  if (hasRoom(own.worker)) return { worker: own.worker, reason: 'affinity' };
  // There always is one: the least busy of all is no busier than the mean.
  const [first = own, ...rest] = others.filter(({ worker }) => hasRoom(worker));
  const second = rest[Math.floor(random() * rest.length)];
  const worker =
    second !== undefined && busynessOf(second.worker) < busynessOf(first.worker)
      ? second.worker
      : first.worker;
  return { worker, reason: 'less_loaded' };
}

function jobsOf({ load, offered }: WorkerView): number {
  return load.running + load.queued + offered;
}

function hasFreeSlot(worker: WorkerView): boolean {
  return jobsOf(worker) < slotsOf(worker);
}

function slotsOf({ load }: WorkerView): number {
  return Math.max(1, load.slots);
}

function busynessOf(worker: WorkerView): number {
  return jobsOf(worker) / slotsOf(worker);
}

/** Mixes two 32-bit numbers so that each worker ranks conversations in an order of its own. */
function rankOf(seed: number, affinity: number): number {
  let mixed = Math.imul(seed ^ affinity, 0x9e37_79b1);
  mixed = Math.imul(mixed ^ (mixed >>> 15) ^ seed, 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
