import type { ContestantName } from '../contestants/contestant.ts';

export const WORKS = ['requests', 'paced', 'unpaced', 'first-token', 'idle', 'scale'] as const;
export type WorkName = (typeof WORKS)[number];

/** The figures of one contestant for one workload in one round. */
export interface Sample {
  readonly round: number;
  readonly work: WorkName;
  readonly contestant: ContestantName;
  readonly figures: Readonly<Partial<Record<FigureName, number>>>;
  /** Each process of the contestant: CPU in microseconds per request or event, or memory in KiB per idle stream. */
  readonly processes: Readonly<Record<string, number>>;
  readonly load: LoadQuality;
}

/** Values that show whether the load itself was reliable. */
export interface LoadQuality {
  /** Requests without a complete reply with status 200. */
  readonly failed: number;
  readonly failures: Readonly<Record<string, number>>;
  /** Cores used by the generator, and the 99th percentile of the delay of its timers. */
  readonly generatorCores: number;
  readonly generatorLateMs: number;
  /** Cores used by the runtime. */
  readonly runtimeCores: number;
  /** Cores used by programs outside the benchmark. */
  readonly foreignCores: number;
}

export interface FigureDescription {
  readonly work: WorkName;
  readonly title: string;
  readonly unit: string;
  readonly digits: number;
}

/** Every figure, in the order of the table rows. */
export const FIGURES = {
  gateway_us_per_request: figure('requests', 'CPU per request, gateway', 'µs', 0),
  all_us_per_request: figure('requests', 'CPU per request, all processes', 'µs', 0),
  requests_per_core: figure('requests', 'requests/s per gateway core', '/s', 0),
  requests_per_second: figure('requests', 'requests/s in this run, 2 cores shared by all', '/s', 0),
  latency_p50_ms: figure('requests', 'latency p50, 32 at once', 'ms', 1),
  latency_p99_ms: figure('requests', 'latency p99, 32 at once', 'ms', 1),
  latency_left_out: figure('requests', 'left out: the machine was paused or ran slowly', '%', 0),
  gateway_us_per_paced_event: figure('paced', 'CPU per event, gateway', 'µs', 1),
  all_us_per_paced_event: figure('paced', 'CPU per event, all processes', 'µs', 1),
  paced_events_per_second: figure('paced', 'events/s (100 streams of 50)', '/s', 0),
  gateway_us_per_unpaced_event: figure('unpaced', 'CPU per event, gateway', 'µs', 2),
  all_us_per_unpaced_event: figure('unpaced', 'CPU per event, all processes', 'µs', 2),
  unpaced_events_per_second: figure('unpaced', 'events/s in this run', '/s', 0),
  first_token_p50_ms: figure('first-token', 'time to first token p50', 'ms', 2),
  first_token_p99_ms: figure('first-token', 'time to first token p99', 'ms', 2),
  added_first_token_p50_ms: figure('first-token', 'added over direct p50', 'ms', 2),
  added_first_token_p99_ms: figure('first-token', 'added over direct p99', 'ms', 2),
  first_token_left_out: figure(
    'first-token',
    'left out: the machine was paused or ran slowly',
    '%',
    0,
  ),
  gateway_kib_per_stream: figure('idle', 'resident memory per open stream, gateway', 'KiB', 1),
  gateway_kib_held_per_stream: figure('idle', 'the same after a garbage collection', 'KiB', 1),
  all_kib_per_stream: figure('idle', 'resident memory per open stream, all processes', 'KiB', 1),
  gateway_us_per_event_100: figure('scale', 'CPU per event, gateway, 100 streams', 'µs', 1),
  gateway_us_per_event_5000: figure('scale', 'CPU per event, gateway, 5,000 streams', 'µs', 1),
  scale_ratio: figure('scale', '5,000 streams over 100', '×', 2),
  all_us_per_event_100: figure('scale', 'CPU per event, all processes, 100 streams', 'µs', 1),
  all_us_per_event_5000: figure('scale', 'CPU per event, all processes, 5,000 streams', 'µs', 1),
} as const satisfies Record<string, FigureDescription>;

export type FigureName = keyof typeof FIGURES;

export const FIGURE_NAMES = Object.keys(FIGURES).filter(isFigureName);

function isFigureName(text: string): text is FigureName {
  return text in FIGURES;
}

export const WORK_TITLES: Readonly<Record<WorkName, string>> = {
  requests: 'small requests, not streamed, 32 at once',
  paced: '100 paced streams, 20 ms between tokens',
  unpaced: '16 unpaced streams of 256 tokens',
  'first-token': 'time to first token at 50 requests/s',
  idle: '1,000 idle open streams',
  scale: '5,000 events/s over 100 and over 5,000 streams',
};

function figure(work: WorkName, title: string, unit: string, digits: number): FigureDescription {
  return { work, title, unit, digits };
}
