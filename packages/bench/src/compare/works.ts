import { setTimeout as delay } from 'node:timers/promises';
import type { LoadOptions } from '../load/load-options.ts';
import { percentile } from '../measure/statistics.ts';
import { requestBodies } from './bodies.ts';
import type { WorkName } from './figures.ts';
import { measureIdleStreams } from './idle-streams.ts';
import { observe, perUnit, sumOf, type Observation, type Observed } from './observe.ts';
import { measureScale } from './scale.ts';
import type { Measured, Pace, Work } from './work.ts';

/**
 * Runs a workload. It leaves the runtime idle, and returns undefined if the workload does not apply to the contestant.
 */
export const RUN_WORK: Readonly<Record<WorkName, Work>> = {
  requests: measureRequests,
  paced: measurePacedStreams,
  unpaced: measureUnpacedStreams,
  'first-token': measureFirstToken,
  idle: measureIdleStreams,
  scale: measureScale,
};

const BEGIN_TIMEOUT_MS = 10_000;
const CONVERSATIONS = 64;
const ANSWER_TOKENS = 8;

export const smallRequests: Omit<LoadOptions, 'target'> = {
  bodies: requestBodies(CONVERSATIONS, () => ({
    stream: false,
    steering: { tokens: ANSWER_TOKENS },
  })),
  pattern: { kind: 'closed loop', connections: 32 },
};

export const shortStreams: Omit<LoadOptions, 'target'> = {
  bodies: requestBodies(CONVERSATIONS, () => ({
    stream: true,
    steering: { tokens: ANSWER_TOKENS },
  })),
  pattern: { kind: 'closed loop', connections: 32 },
};

export const unpacedStreams: Omit<LoadOptions, 'target'> = {
  bodies: requestBodies(CONVERSATIONS, () => ({ stream: true, steering: { tokens: 256 } })),
  pattern: { kind: 'closed loop', connections: 16 },
};

async function measureRequests(observed: Observed, pace: Pace): Promise<Measured> {
  const seen = await underLoad(observed, smallRequests, { settleMs: 700, seconds: pace.requests });
  const gateway = perUnit(seen.cpu, seen.completed)['gateway'] ?? Number.NaN;
  return {
    figures: {
      gateway_us_per_request: gateway,
      all_us_per_request: cpuPerUnit(seen, seen.completed),
      requests_per_core: 1_000_000 / gateway,
      requests_per_second: seen.completed / seen.seconds,
      latency_p50_ms: percentile(seen.replies.tookMs, 0.5),
      latency_p99_ms: percentile(seen.replies.tookMs, 0.99),
      latency_left_out: seen.replies.leftOutShare * 100,
    },
    processes: perUnit(seen.cpu, seen.completed),
    load: seen.quality,
  };
}

const STREAMS = 100;
const BETWEEN_TOKENS_MS = 20;
/** All streams are opened within this time. Then their tokens begin, spread evenly over one interval. */
const OPENING_MS = 500;

async function measurePacedStreams(observed: Observed, pace: Pace): Promise<Measured | undefined> {
  // The runtime itself sets the pace, so there is nothing to compare.
  if (observed.contestant.name === 'direct') return undefined;
  const seconds = OPENING_MS / 1_000 + pace.paced + 2;
  // Long enough for the whole work and not longer: some contestants do not stop a stream when its client disconnects.
  const tokens = Math.ceil((seconds * 1_000) / BETWEEN_TOKENS_MS);
  const bodies = requestBodies(STREAMS, (number) => ({
    stream: true,
    steering: {
      tokens,
      itl_ms: BETWEEN_TOKENS_MS,
      ttft_ms: OPENING_MS + (number * BETWEEN_TOKENS_MS) / STREAMS,
    },
  }));
  const seen = await underLoad(
    observed,
    { bodies, pattern: { kind: 'held streams', opensPerSecond: (STREAMS / OPENING_MS) * 1_000 } },
    { begun: STREAMS, settleMs: 500, seconds: pace.paced },
  );
  return {
    figures: {
      gateway_us_per_paced_event: perUnit(seen.cpu, seen.events)['gateway'] ?? Number.NaN,
      all_us_per_paced_event: cpuPerUnit(seen, seen.events),
      paced_events_per_second: seen.events / seen.seconds,
    },
    processes: perUnit(seen.cpu, seen.events),
    load: seen.quality,
  };
}

async function measureUnpacedStreams(observed: Observed, pace: Pace): Promise<Measured> {
  const seen = await underLoad(observed, unpacedStreams, { settleMs: 500, seconds: pace.unpaced });
  return {
    figures: {
      gateway_us_per_unpaced_event: perUnit(seen.cpu, seen.events)['gateway'] ?? Number.NaN,
      all_us_per_unpaced_event: cpuPerUnit(seen, seen.events),
      unpaced_events_per_second: seen.events / seen.seconds,
    },
    processes: perUnit(seen.cpu, seen.events),
    load: seen.quality,
  };
}

async function measureFirstToken(observed: Observed, pace: Pace): Promise<Measured> {
  const seen = await underLoad(
    observed,
    { ...shortStreams, pattern: { kind: 'arrivals', perSecond: 50 } },
    { settleMs: 500, seconds: pace.firstToken },
  );
  return {
    figures: {
      first_token_p50_ms: percentile(seen.firstTokens.tookMs, 0.5),
      first_token_p99_ms: percentile(seen.firstTokens.tookMs, 0.99),
      first_token_left_out: seen.firstTokens.leftOutShare * 100,
    },
    processes: {},
    load: seen.quality,
  };
}

/** The CPU of all processes per request or event. NaN for the contestant `direct`, whose process is not counted. */
function cpuPerUnit(seen: Observation, count: number): number {
  return Object.keys(seen.cpu).length === 0 ? Number.NaN : sumOf(seen.cpu) / count;
}

async function underLoad(
  observed: Observed,
  load: Omit<LoadOptions, 'target'>,
  { begun = 1, settleMs, seconds }: { begun?: number; settleMs: number; seconds: number },
): Promise<Observation> {
  const { contestant, generator, simulator } = observed;
  await generator.start({ target: contestant.target, ...load });
  await generator.begun(begun, BEGIN_TIMEOUT_MS);
  await delay(settleMs);
  const seen = await observe(observed, seconds);
  await generator.stop();
  await simulator.idle();
  return seen;
}
