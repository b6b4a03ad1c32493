import type { Engine, SimulatorState } from './engine.ts';
import type { SimulatedModel } from './models.ts';

type Sample = readonly [labels: string, value: number];

const label = (name: string, value: string): string =>
  `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;

function family(name: string, type: 'counter' | 'gauge', help: string, samples: Sample[]): string {
  const lines = samples.map(([labels, value]) => `${name}${labels} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join('\n');
}

const ownCounters: readonly (readonly [keyof SimulatorState, string])[] = [
  ['accepted', 'Requests that were not refused.'],
  ['started', 'Generations that got a slot.'],
  ['finished', 'Generations that finished.'],
  ['aborted', 'Generations whose client disconnected, including waiting ones.'],
  ['failed', 'Generations that ended with a fault that the @sim line asked for.'],
  ['tokens_generated', 'Tokens generated.'],
];

/** The metrics in Prometheus format: first those of vLLM, then those of the simulator. */
export function metricsPage(engine: Engine, models: readonly SimulatedModel[]): string {
  const state = engine.state();
  const loads = models.map(({ name }) => ({
    labels: `{${label('engine', '0')},${label('model_name', name)}}`,
    ...engine.loadOf(name),
  }));
  const cacheUsage = loads.map(({ labels, cacheUsage }): Sample => [labels, cacheUsage]);
  const usageHelp = 'KV-cache usage. 1 means 100 percent usage.';
  const families = [
    family(
      'vllm:num_requests_running',
      'gauge',
      'Number of requests in model execution batches.',
      loads.map(({ labels, running }) => [labels, running]),
    ),
    family(
      'vllm:num_requests_waiting',
      'gauge',
      'Number of requests waiting to be processed.',
      loads.map(({ labels, waiting }) => [labels, waiting]),
    ),
    family('vllm:kv_cache_usage_perc', 'gauge', usageHelp, cacheUsage),
    family('vllm:gpu_cache_usage_perc', 'gauge', usageHelp, cacheUsage),
    family('vllm:prefix_cache_queries_total', 'counter', 'Prefix cache queries, in tokens.', [
      ['', state.prefix_cache_queried_tokens],
    ]),
    family('vllm:prefix_cache_hits_total', 'counter', 'Prefix cache hits, in tokens.', [
      ['', state.prefix_cache_hit_tokens],
    ]),
    family('vllm:prompt_tokens_total', 'counter', 'Number of prefill tokens processed.', [
      ['', state.prompt_tokens],
    ]),
    family('vllm:generation_tokens_total', 'counter', 'Number of generation tokens processed.', [
      ['', state.tokens_generated],
    ]),
    ...ownCounters.map(([name, help]) =>
      family(`sim:${name}_total`, 'counter', help, [['', state[name]]]),
    ),
  ];
  return `${families.join('\n')}\n`;
}
