import { setTimeout as delay } from 'node:timers/promises';
import type { Contestant } from '../contestants/contestant.ts';
import { collectGarbage } from '../measure/collect-garbage.ts';
import { residentKibibytes } from '../measure/process-usage.ts';
import { requestBodies } from './bodies.ts';
import { observe, sumOf, type Observed } from './observe.ts';
import type { Measured } from './work.ts';

const STREAMS = 1_000;
const OPENS_PER_SECOND = 500;
/** One token at once, and the last one when everything has been measured. */
const SILENCE_MS = 8_000;
/** A first round of streams gives a process what it keeps for good: compiled code, larger tables. */
const prepared = new WeakSet<Contestant>();

/**
 * What an open stream on which nothing happens adds to the resident memory. Garbage is collected before,
 * so that what earlier works left behind is not counted, and once more after a first look, which tells
 * what streams hold from what their opening left to be collected.
 */
export async function measureIdleStreams(observed: Observed): Promise<Measured | undefined> {
  const { contestant } = observed;
  if (contestant.name === 'direct') return undefined;
  if (!prepared.has(contestant)) {
    await openStreams(observed);
    await closeStreams(observed);
    prepared.add(contestant);
  }
  await collect(contestant);
  const before = resident(contestant);
  await openStreams(observed);
  const { quality, open } = await observe(observed, 0.5);
  const standing = resident(contestant);
  await collect(contestant);
  const held = resident(contestant);
  await closeStreams(observed);
  const perStream = (value: number, base: number) => (value - base) / open;
  return {
    figures: {
      gateway_kib_per_stream: perStream(standing['gateway'] ?? 0, before['gateway'] ?? 0),
      gateway_kib_held_per_stream: perStream(held['gateway'] ?? 0, before['gateway'] ?? 0),
      all_kib_per_stream: perStream(sumOf(standing), sumOf(before)),
    },
    processes: {},
    load: quality,
  };
}

async function openStreams({ contestant, generator }: Observed): Promise<void> {
  await generator.start({
    target: contestant.target,
    bodies: requestBodies(STREAMS, () => ({
      stream: true,
      orders: { tokens: 2, itl_ms: SILENCE_MS },
    })),
    pattern: { kind: 'held streams', opensPerSecond: OPENS_PER_SECOND },
  });
  await generator.begun(STREAMS, SILENCE_MS - 2_000);
  await delay(500);
}

async function closeStreams({ generator, simulator }: Observed): Promise<void> {
  await generator.stop();
  await simulator.idle();
}

async function collect({ nodeProcesses }: Contestant): Promise<void> {
  await Promise.all(nodeProcesses.map(collectGarbage));
}

function resident({ processes }: Contestant): Record<string, number> {
  return Object.fromEntries(
    Object.entries(processes).map(([name, pids]) => [
      name,
      pids.reduce((sum, pid) => sum + residentKibibytes(pid), 0),
    ]),
  );
}
