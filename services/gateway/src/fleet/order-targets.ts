import { crc32 } from 'node:zlib';
import type { ModelTarget } from '@sluice/contracts';
import type { WantedModel } from './worker-index.ts';

/** Where a job may run: a pool, and the name of the model there. */
export interface ServingTarget extends WantedModel {
  /** A label value of metrics. */
  readonly name: string;
}

type WeightedTarget = Pick<ModelTarget, 'name' | 'pool' | 'runtime_model' | 'weight'>;

export interface TargetedModel extends WantedModel {
  readonly targets?: readonly WeightedTarget[] | undefined;
}

export type OrderedTargets = readonly [own: ServingTarget, ...others: ServingTarget[]];

/**
 * The targets of a conversation, the one that serves it first. The next ones may serve it while the first one cannot. A
 * target with weight 0 is left out.
 *
 * Weighted rendezvous hashing (https://en.wikipedia.org/wiki/Rendezvous_hashing): each target takes its share of the
 * conversations. If the weight of one target grows, conversations move to this target, and none between two others.
 */
export function orderTargets(model: TargetedModel, conversation: number): OrderedTargets {
  const { pool, runtime_model, targets } = model;
  if (targets === undefined) return [{ name: pool, pool, runtime_model }];
  const [own, ...others] = targets
    .filter(({ weight }) => weight > 0)
    .map((target) => ({ target, distance: distanceOf(target, conversation) }))
    .toSorted((left, right) => left.distance - right.distance)
    .map(({ target }) => target);
  return own === undefined ? [{ name: pool, pool, runtime_model }] : [own, ...others];
}

/** The pools that serve the model. */
export function poolsOf({ pool, targets }: TargetedModel): string[] {
  return targets?.map((target) => target.pool) ?? [pool];
}

/**
 * An exponentially distributed number with the weight as its rate. The probability that a target has the smallest of
 * these numbers is its share of all weights.
 */
function distanceOf(
  { name, weight }: { name: string; weight: number },
  conversation: number,
): number {
  // Adding 0.5 keeps the number above 0, because the logarithm of 0 is infinite.
  const uniform = (mix(crc32(name, conversation)) + 0.5) / 2 ** 32;
  return -Math.log(uniform) / weight;
}

/**
 * Checksums of similar texts are similar. The finalizer of MurmurHash3 makes all bits depend on each other:
 * https://github.com/aappleby/smhasher/blob/master/src/MurmurHash3.cpp (`fmix32`)
 */
function mix(checksum: number): number {
  let mixed = Math.imul(checksum ^ (checksum >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
