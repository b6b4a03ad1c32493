import { setTimeout as delay } from 'node:timers/promises';
import type { Contestant } from '../contestants/contestant.ts';
import type { LoadGenerator } from '../load/load-generator.ts';
import type { WorkName } from './figures.ts';
import { shortStreams, smallRequests, unpacedStreams } from './works.ts';

/** Amounts after which the just-in-time compiler has optimized the code that the measured loads use. */
const WARM_UP = { requests: 40_000, events: 200_000, longestMs: 15_000 } as const;
const CHECK_EVERY_MS = 100;

/** Runs the kinds of load that will be measured, the same amount for every contestant unless time runs out. */
export async function warmUp(
  { target }: Pick<Contestant, 'target'>,
  generator: LoadGenerator,
  works: readonly WorkName[],
): Promise<void> {
  const loads = [
    ...(works.includes('requests') ? [smallRequests] : []),
    ...(works.includes('first-token') ? [shortStreams] : []),
    ...(works.some((work) => work !== 'requests') ? [unpacedStreams] : []),
  ];
  for (const load of loads) {
    await generator.start({ target, ...load });
    const giveUpAt = performance.now() + WARM_UP.longestMs;
    for (;;) {
      const { completed, events } = await generator.read();
      const done = completed >= WARM_UP.requests || events >= WARM_UP.events;
      if (done || performance.now() > giveUpAt) break;
      await delay(CHECK_EVERY_MS);
    }
    await generator.stop();
  }
}
