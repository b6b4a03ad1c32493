import { BLOCK_ENDS, type PromptPrefix } from '@sluice/contracts';
import type { LoadBuckets } from './load-buckets.ts';
import { HOLDERS, type PrefixIndex } from './prefix-index.ts';
import type { WorkerView } from './worker-view.ts';

export type ChoiceReason = 'warm_cache' | 'least_loaded';

export interface WorkerChoice {
  readonly worker: WorkerView;
  readonly reason: ChoiceReason;
  /** Prompt tokens that the worker's cache is expected to hold. */
  readonly expectedCachedTokens: number;
}

/** How far above the mean load a worker may get for its warm cache. */
const MAX_LOAD_FACTOR = 1.25;
/**
 * A worker may get this many further jobs, as a share of its slots. With few jobs on many slots, one worker has some
 * jobs more than another by chance, and that delays none of them.
 */
const SPARE_SLOTS = 1 / 16;
/** The cost of choosing a full worker in place of an empty one, in prompt tokens that have to be read again. */
const TOKENS_OF_FULL_LOAD = 8_192;
/** How many warm workers are compared. */
const MAX_WARM = 8;
/** How many caches are examined to find warm workers. Some belong to workers that have ended or are busy. */
const MAX_SEEN = 32;
/** Lower bound for the accuracy of a cache, so that a cache without reports still decides between equal loads. */
const LEAST_ACCURACY = 0.25;

export interface ChoiceOptions {
  /** The workers of the model. */
  readonly buckets: LoadBuckets;
  readonly index: PrefixIndex;
  readonly prefix: PromptPrefix;
  readonly workerOfCache: (cache: number) => WorkerView | undefined;
  /** Whether the worker may be offered the job now. */
  readonly accepts: (worker: WorkerView) => boolean;
  readonly random: () => number;
}

/**
 * Compares the least loaded worker with the few whose prefix caches are warm, by the tokens that need not be read again
 * and by their loads. A warm cache saves the prefill of one prompt, but in a queue a job waits for whole answers.
 * Therefore a worker without a free slot is not chosen while another has one, and none is loaded far above the mean.
 */
export function chooseWorker(options: ChoiceOptions): WorkerChoice | undefined {
  const { buckets, prefix, accepts, random } = options;
  const least = buckets.leastLoaded(accepts, random);
  if (least === undefined) return undefined;
  let chosen = { worker: least, cachedTokens: 0, score: -least.loadRatio * TOKENS_OF_FULL_LOAD };
  for (const { worker, blocks } of warmWorkers(least.poolNumber, options)) {
    if (worker !== least && !hasRoom(worker, least, buckets)) continue;
    const cachedTokens = (BLOCK_ENDS[blocks - 1] ?? 0) * prefix.tokensPerCharacter;
    const accuracy = Math.max(LEAST_ACCURACY, worker.cacheAccuracy);
    const score = cachedTokens * accuracy - worker.loadRatio * TOKENS_OF_FULL_LOAD;
    if (score > chosen.score) chosen = { worker, cachedTokens, score };
  }
  const { worker, cachedTokens } = chosen;
  return {
    worker,
    reason: cachedTokens > 0 ? 'warm_cache' : 'least_loaded',
    expectedCachedTokens: Math.floor(cachedTokens),
  };
}

interface WarmWorker {
  readonly worker: WorkerView;
  /** The number of blocks that its cache holds, from the beginning of the prompt. */
  readonly blocks: number;
}

const NONE: readonly WarmWorker[] = [];

/** The workers whose caches hold a beginning of the prompt. Those with the longest one come first. */
function warmWorkers(pool: number, options: ChoiceOptions): readonly WarmWorker[] {
  const { buckets, index, prefix, workerOfCache, accepts } = options;
  const { hashes } = prefix;
  const entries: number[] = [];
  for (let block = 0; block < hashes.length; block += 1) {
    // A cache that holds a block holds all blocks before it.
    const entry = index.find(hashes[block] ?? 0, pool);
    if (entry < 0) break;
    entries.push(entry);
  }
  if (entries.length === 0) return NONE;
  const seen: number[] = [];
  const warm: WarmWorker[] = [];
  for (let blocks = entries.length; blocks > 0 && seen.length < MAX_SEEN; blocks -= 1) {
    for (let place = 0; place < HOLDERS; place += 1) {
      const cache = index.holder(entries[blocks - 1] ?? 0, place);
      if (cache === 0) break;
      if (seen.includes(cache)) continue;
      seen.push(cache);
      const worker = workerOfCache(cache);
      if (worker === undefined || !buckets.has(worker) || !accepts(worker)) continue;
      warm.push({ worker, blocks });
      if (warm.length === MAX_WARM) return warm;
    }
  }
  return warm;
}

function hasRoom(worker: WorkerView, least: WorkerView, { jobs, slots }: LoadBuckets): boolean {
  if (!worker.hasFreeSlot && least.hasFreeSlot) return false;
  const share = (MAX_LOAD_FACTOR * (jobs + 1) * worker.slots) / slots;
  return worker.jobs + 1 <= Math.ceil(share) + Math.floor(worker.slots * SPARE_SLOTS);
}
