import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { WorkerView } from '../../src/fleet/worker-view.ts';
import type { Message } from '../../src/request/schema/message.ts';

const MAX_LOAD_FACTOR = 1.5;

export interface HashedConversation {
  readonly affinity: number;
  readonly lastWorker: string | undefined;
  readonly random: () => number;
}

/**
 * The rule of version 0.2, for comparison: rendezvous hashing of the conversation with bounded loads. All candidates are
 * ranked and sorted.
 */
export function chooseByConversation(
  candidates: readonly WorkerView[],
  { affinity, lastWorker, random }: HashedConversation,
): { readonly worker: WorkerView; readonly isOwn: boolean } | undefined {
  let jobs = 1;
  let slots = 0;
  for (const worker of candidates) {
    jobs += worker.jobs;
    slots += worker.slots;
  }
  const isAnyFree = candidates.some((worker) => worker.hasFreeSlot);
  const hasRoom = (worker: WorkerView) =>
    (!isAnyFree || worker.hasFreeSlot) &&
    worker.jobs + 1 <= Math.ceil((MAX_LOAD_FACTOR * jobs * worker.slots) / slots);
  const [own, ...others] = candidates
    .map((worker) => ({ worker, rank: rankOf(seedOf(worker.id), affinity) }))
    .toSorted((left, right) => right.rank - left.rank);
  if (own === undefined) return undefined;
  const last = candidates.find(({ id }) => id === lastWorker);
  if (last !== undefined && hasRoom(last)) return { worker: last, isOwn: false };
  if (hasRoom(own.worker)) return { worker: own.worker, isOwn: true };
  const [first = own, ...rest] = others.filter(({ worker }) => hasRoom(worker));
  const second = rest[Math.floor(random() * rest.length)];
  const isSecond = second !== undefined && second.worker.loadRatio < first.worker.loadRatio;
  return { worker: isSecond ? second.worker : first.worker, isOwn: false };
}

/** A hash of the instructions and the first message of the user. */
export function affinityOf(messages: readonly Message[]): number {
  let sum = 0;
  for (const { role, content } of messages) {
    if (typeof content === 'string') sum = crc32(content, sum);
    if (role === 'user') break;
  }
  return sum;
}

const seeds = new Map<string, number>();

function seedOf(id: string): number {
  const known = seeds.get(id);
  if (known !== undefined) return known;
  const seed = createHash('sha256').update(id).digest().readUInt32BE(0);
  seeds.set(id, seed);
  return seed;
}

function rankOf(seed: number, affinity: number): number {
  let mixed = Math.imul(seed ^ affinity, 0x9e37_79b1);
  mixed = Math.imul(mixed ^ (mixed >>> 15) ^ seed, 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
