import { setTimeout as delay } from 'node:timers/promises';
import { HEARTBEAT_INTERVAL_MS } from '@sluice/contracts';
import { WORKER_SETTINGS, isSluice } from '../contestants/sluice.ts';
import { startServiceProgram } from '../programs/service-program.ts';
import { requestBodies } from './bodies.ts';
import { observe, perUnit, sumOf, type Observation, type Observed } from './observe.ts';
import type { Measured, Pace } from './work.ts';

const EVENTS_PER_SECOND = 5_000;
const FEW = 100;
const MANY = 5_000;
const OPENS_PER_SECOND = 800;
const SETTLE_MS = 1_000;
/** Limit for opening the streams, generous enough for a busy machine. */
const OPENING_MS = 60_000;
/** No measurement takes longer, so the streams do not end by themselves. */
const LONGEST_MS = 120_000;
/** After this time the gateway has a heartbeat from every worker that reports it idle. */
const IDLE_HEARTBEAT_MS = 2 * HEARTBEAT_INTERVAL_MS;

/**
 * Sends the same number of events per second over few and over many streams: the difference is the cost of open
 * streams.
 */
export async function measureScale(observed: Observed, pace: Pace): Promise<Measured | undefined> {
  const { contestant } = observed;
  if (!isSluice(contestant)) return undefined;
  // One worker has too few slots for the many streams. The second worker runs during all measurements.
  await using worker = await startServiceProgram('worker', {
    ...WORKER_SETTINGS,
    NATS_URL: contestant.stack.natsUrl,
    RUNTIME_URL: observed.simulator.url,
    DRAIN_TIMEOUT_MS: '1000',
  });
  const withSecondWorker = {
    ...observed,
    contestant: {
      ...contestant,
      processes: { ...contestant.processes, 'worker-2': [worker.pid] },
    },
  };
  // Few streams are measured before and after the many, so that a machine that slows down does not distort the ratio.
  const before = await measureStreams(withSecondWorker, FEW, pace.scale / 2);
  const many = await measureStreams(withSecondWorker, MANY, pace.scale);
  // Waits until both workers report that they are idle. Otherwise one of them would still report thousands of streams,
  // and the other one would get all of the few streams, in batches twice as large.
  await delay(IDLE_HEARTBEAT_MS);
  const after = await measureStreams(withSecondWorker, FEW, pace.scale / 2);
  const ofFew = costPerEvent(before, after);
  const ofMany = costPerEvent(many);
  return {
    figures: {
      gateway_us_per_event_100: ofFew.gateway,
      gateway_us_per_event_5000: ofMany.gateway,
      scale_ratio: ofMany.gateway / ofFew.gateway,
      all_us_per_event_100: ofFew.all,
      all_us_per_event_5000: ofMany.all,
    },
    processes: perUnit(many.cpu, many.events),
    load: many.quality,
  };
}

function costPerEvent(...observations: readonly Observation[]): { gateway: number; all: number } {
  const total = (valueOf: (observation: Observation) => number) =>
    observations.reduce((sum, observation) => sum + valueOf(observation), 0);
  const events = total((observation) => observation.events);
  return {
    gateway: total(({ cpu }) => cpu['gateway'] ?? Number.NaN) / events,
    all: total(({ cpu }) => sumOf(cpu)) / events,
  };
}

async function measureStreams(
  observed: Observed,
  streams: number,
  seconds: number,
): Promise<Observation> {
  const { contestant, generator, simulator } = observed;
  const betweenTokens = (streams / EVENTS_PER_SECOND) * 1_000;
  // The streams may be longer than needed, because Sluice stops a stream when its client disconnects.
  const tokens = Math.ceil(LONGEST_MS / betweenTokens);
  await generator.start({
    target: contestant.target,
    bodies: requestBodies(streams, (number) => ({
      stream: true,
      // The first tokens are spread evenly over one interval, no matter how fast the streams were opened.
      steering: {
        tokens,
        itl_ms: betweenTokens,
        ttft_ms: 500 + (number * betweenTokens) / streams,
      },
    })),
    pattern: { kind: 'held streams', opensPerSecond: OPENS_PER_SECOND },
  });
  await generator.begun(streams, OPENING_MS);
  await delay(SETTLE_MS);
  const seen = await observe(observed, seconds);
  await generator.stop();
  await simulator.idle();
  return seen;
}
