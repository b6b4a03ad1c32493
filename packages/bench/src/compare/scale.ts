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
/** Opening may take so long, on a machine that does something else too. */
const OPENING_MS = 60_000;
const LONGEST_MS = 120_000;
/** After so long the gateway has heard from every worker that it has nothing to do any more. */
const HEARD_OF_IDLE_MS = 2 * HEARTBEAT_INTERVAL_MS;

/** The same events each second over few streams and over many: what an open stream costs by being open. */
export async function measureScale(observed: Observed, pace: Pace): Promise<Measured | undefined> {
  const { contestant } = observed;
  if (!isSluice(contestant)) return undefined;
  // One worker has not slots enough for so many streams; a second one is there for both measurements.
  await using worker = await startServiceProgram('worker', {
    ...WORKER_SETTINGS,
    NATS_URL: contestant.stack.natsUrl,
    RUNTIME_URL: observed.simulator.url,
    DRAIN_TIMEOUT_MS: '1000',
  });
  const whole = {
    ...observed,
    contestant: {
      ...contestant,
      processes: { ...contestant.processes, 'worker-2': [worker.pid] },
    },
  };
  // Few streams before and after the many: a machine that gets slower meanwhile is not taken for what streams cost.
  const before = await measureStreams(whole, FEW, pace.scale / 2);
  const many = await measureStreams(whole, MANY, pace.scale);
  // Else a worker whose last word was of thousands of streams gets none of the few, and the other all of them in
  // handfuls twice as large.
  await delay(HEARD_OF_IDLE_MS);
  const after = await measureStreams(whole, FEW, pace.scale / 2);
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

function costPerEvent(...seen: readonly Observation[]): { gateway: number; all: number } {
  const total = (of: (one: Observation) => number) => seen.reduce((sum, one) => sum + of(one), 0);
  const events = total((one) => one.events);
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
  // Sluice stops a stream whose client has left, so that these may be longer than needed.
  const tokens = Math.ceil(LONGEST_MS / betweenTokens);
  await generator.start({
    target: contestant.target,
    bodies: requestBodies(streams, (number) => ({
      stream: true,
      // The first tokens are spread over one pause, however fast the streams were opened.
      orders: {
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
