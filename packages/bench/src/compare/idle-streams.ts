import { setTimeout as delay } from 'node:timers/promises';
import type { Contestant } from '../contestants/contestant.ts';
import { collectGarbage } from '../measure/collect-garbage.ts';
import { residentKibibytes } from '../measure/process-usage.ts';
import { requestBodies } from './bodies.ts';
import { observe, sumOf, type Observed } from './observe.ts';
import type { Measured } from './work.ts';

const STREAMS = 1_000;
const OPENS_PER_SECOND = 500;
/** Each stream gets its first token at once, and its last one after the measurement. */
const SILENCE_MS = 20_000;
/** Time to observe the load itself; the memory is read once. */
const OBSERVED_SECONDS = 0.5;
/**
 * Contestants that have already served streams. The first streams leave compiled code and larger tables in memory, so
 * they are not measured.
 */
const prepared = new WeakSet<Contestant>();

/**
 * Measures how much resident memory an open stream without traffic adds. Garbage is collected before the streams are
 * opened, so that the garbage of earlier workloads is not counted. After the first reading it is collected again: the
 * second reading shows the memory that streams hold, without the garbage of opening them.
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
  const { quality, open } = await observe(observed, OBSERVED_SECONDS);
  const whileOpen = resident(contestant);
  await collect(contestant);
  const held = resident(contestant);
  await closeStreams(observed);
  const perStream = (memory: number, memoryBefore: number) => (memory - memoryBefore) / open;
  return {
    figures: {
      gateway_kib_per_stream: perStream(whileOpen['gateway'] ?? 0, before['gateway'] ?? 0),
      gateway_kib_held_per_stream: perStream(held['gateway'] ?? 0, before['gateway'] ?? 0),
      all_kib_per_stream: perStream(sumOf(whileOpen), sumOf(before)),
    },
    processes: Object.fromEntries(
      Object.entries(whileOpen).map(([name, value]) => [name, perStream(value, before[name] ?? 0)]),
    ),
    load: quality,
  };
}

async function openStreams({ contestant, generator }: Observed): Promise<void> {
  await generator.start({
    target: contestant.target,
    bodies: requestBodies(STREAMS, () => ({
      stream: true,
      steering: { tokens: 2, itl_ms: SILENCE_MS },
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
