import type { RuntimeLoad } from '@sluice/contracts';
import { readGauges } from './metrics-page.ts';

/** The names that a kind of runtime gives what is read; the first of several that is there counts. */
interface LoadNames {
  readonly running: string;
  readonly waiting: string;
  readonly cacheUse: readonly string[];
}

const VLLM: LoadNames = {
  running: 'vllm:num_requests_running',
  waiting: 'vllm:num_requests_waiting',
  // Renamed when caches came to be elsewhere than on GPUs.
  cacheUse: ['vllm:kv_cache_usage_perc', 'vllm:gpu_cache_usage_perc'],
};

const LLAMA_CPP: LoadNames = {
  running: 'llamacpp:requests_processing',
  waiting: 'llamacpp:requests_deferred',
  // Older versions only.
  cacheUse: ['llamacpp:kv_cache_usage_ratio'],
};

export const readVllmLoad = (page: string): RuntimeLoad | undefined => readLoad(page, VLLM);
export const readLlamaCppLoad = (page: string): RuntimeLoad | undefined =>
  readLoad(page, LLAMA_CPP);

/** Undefined where the page does not tell how many generations there are. */
function readLoad(page: string, names: LoadNames): RuntimeLoad | undefined {
  const gauges = readGauges(page, [names.running, names.waiting, ...names.cacheUse]);
  const running = gauges.get(names.running);
  if (running === undefined) return undefined;
  const cacheUse = names.cacheUse.map((name) => gauges.get(name)).find((found) => found);
  return {
    // Several engines, or several models, on one server.
    running: total(running),
    waiting: total(gauges.get(names.waiting) ?? []),
    // Each engine has a cache of its own: the fullest is the first to run out.
    cache_use: cacheUse === undefined ? null : Math.min(1, Math.max(0, ...cacheUse)),
  };
}

function total(values: readonly number[]): number {
  return Math.max(0, Math.round(values.reduce((sum, value) => sum + value, 0)));
}
