import type { RuntimeLoad } from '@sluice/contracts';

/** The metric names of a kind of runtime. If several are given, the first that the page has is used. */
interface LoadNames {
  readonly running: string;
  readonly waiting: string;
  readonly cacheUse: readonly string[];
}

const VLLM: LoadNames = {
  running: 'vllm:num_requests_running',
  waiting: 'vllm:num_requests_waiting',
  // Older versions use the second name.
  cacheUse: ['vllm:kv_cache_usage_perc', 'vllm:gpu_cache_usage_perc'],
};

const LLAMA_CPP: LoadNames = {
  running: 'llamacpp:requests_processing',
  waiting: 'llamacpp:requests_deferred',
  // Only older versions have this gauge.
  cacheUse: ['llamacpp:kv_cache_usage_ratio'],
};

export const readVllmLoad = (page: string): RuntimeLoad | undefined => readLoad(page, VLLM);
export const readLlamaCppLoad = (page: string): RuntimeLoad | undefined =>
  readLoad(page, LLAMA_CPP);

/** Undefined if the page does not have the number of running requests. */
function readLoad(page: string, names: LoadNames): RuntimeLoad | undefined {
  const gauges = readGauges(page, [names.running, names.waiting, ...names.cacheUse]);
  const running = gauges.get(names.running);
  if (running === undefined) return undefined;
  const cacheUse = names.cacheUse
    .map((name) => gauges.get(name))
    .find((values) => values !== undefined);
  return {
    // A server with several engines or models has a gauge for each of them.
    running: total(running),
    waiting: total(gauges.get(names.waiting) ?? []),
    // Each engine has its own cache. The fullest one runs out first.
    cache_use: cacheUse === undefined ? null : Math.min(1, Math.max(0, ...cacheUse)),
  };
}

function total(values: readonly number[]): number {
  return Math.max(0, Math.round(values.reduce((sum, value) => sum + value, 0)));
}

/** Quoted label values may contain any character, including braces and spaces. */
const SAMPLE = /^([^\s{]+)(?:\{(?:[^"}]|"(?:\\.|[^"\\])*")*\})?\s+(\S+)/;

/**
 * The values of the named gauges on a page in the text format of Prometheus, one for each set of labels. Pages are
 * long, so a line is parsed only if it begins with one of the names.
 */
function readGauges(page: string, names: readonly string[]): Map<string, number[]> {
  const values = new Map<string, number[]>();
  for (const line of page.split('\n')) {
    if (!names.some((name) => line.startsWith(name))) continue;
    const [, name = '', text = ''] = SAMPLE.exec(line) ?? [];
    const value = Number(text);
    // Skips a gauge without a value, which is NaN, and a metric whose name only begins with one of the names.
    if (!names.includes(name) || text === '' || !Number.isFinite(value)) continue;
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  return values;
}
