import { PauseWitness } from '@sluice/machine';
import type { CommandContext } from '../command-line.ts';
import { Measurements, type Missed } from '../compare/measurements.ts';
import { warmUp } from '../compare/warm-up.ts';
import type { Pace } from '../compare/work.ts';
import { startSluice } from '../contestants/sluice.ts';
import { startLoadGenerator } from '../load/load-generator.ts';
import { startSimulatorProgram } from '../programs/simulator-program.ts';
import {
  compareFigures,
  openWorks,
  type ComparedWork,
  type FigureComparison,
  type VersionSamples,
} from './judge-versions.ts';
import { copyOldVersion } from './old-version.ts';

export interface VersionsOptions {
  /** What git calls the old version; the new one is the working tree. */
  readonly revision: string;
  readonly works: readonly ComparedWork[];
  /** The ratio of new to old that is allowed. */
  readonly most: number;
  /** A round that would not be over by then is not begun. */
  readonly mostSeconds: number;
}

export interface VersionsComparison {
  readonly old: string;
  readonly figures: readonly FigureComparison[];
  readonly missed: readonly (Missed & { readonly version: string })[];
  readonly samples: VersionSamples;
  readonly seconds: number;
}

/** Many short rounds tell more than a few long ones: the two halves of each see the same machine. */
const PACE: Pace = { requests: 1.5, paced: 2, unpaced: 1.5, firstToken: 0, scale: 0 };
/** The fewest for which `medianRange` gives a range. */
const LEAST_ROUNDS = 6;
const MOST_ROUNDS = 24;
/** Both halves of a round of idle streams, about. */
const IDLE_ROUND_SECONDS = 15;

/** Both versions run side by side and take turns, so that a slow minute hits both. */
export async function compareVersions(
  { revision, works, most, mostSeconds }: VersionsOptions,
  { cleanUp, say }: CommandContext,
): Promise<VersionsComparison> {
  const startedAt = performance.now();
  const passed = () => (performance.now() - startedAt) / 1_000;
  say('copying the old version and installing its packages …');
  const oldVersion = cleanUp.use(await copyOldVersion(revision));
  const simulator = cleanUp.use(await startSimulatorProgram());
  const generator = cleanUp.use(startLoadGenerator());
  const witness = cleanUp.use(await PauseWitness.start());
  const startVersion = async (name: string, repository?: string) => {
    say(`starting and warming up the ${name} version …`);
    const contestant = cleanUp.use(await startSluice({ simulator, say }, {}, repository));
    await warmUp(contestant, generator, works);
    await simulator.idle();
    const tell = (line: string) => say(`${name}  ${line}`);
    const taken = new Measurements({ pace: PACE, generator, simulator, witness, say: tell });
    return { contestant, taken };
  };
  const before = await startVersion('old', oldVersion.folder);
  const after = await startVersion('new');
  const samples = { old: before.taken.samples, new: after.taken.samples };

  async function takeRounds(chosen: readonly ComparedWork[], untilSeconds: number) {
    let longestRound = 0;
    for (let round = 1; round <= MOST_ROUNDS; round += 1) {
      const open = openWorks(compareFigures(samples, chosen, most));
      const began = passed();
      const lost = [before, after].some(({ taken }) => taken.out.sluice !== undefined);
      if (open.size === 0 || lost || began + longestRound > untilSeconds) return;
      for (const work of chosen.filter((one) => open.has(one))) {
        // Each version is first in every other round.
        for (const version of round % 2 === 1 ? [before, after] : [after, before]) {
          await version.taken.take(version.contestant, work, { round, rounds: MOST_ROUNDS });
        }
      }
      longestRound = Math.max(longestRound, passed() - began);
    }
  }

  // Idle streams need collections of garbage, after which V8 compiles anew: they come after all the others.
  const idle = works.filter((work) => work === 'idle');
  const others = works.filter((work) => work !== 'idle');
  await takeRounds(others, mostSeconds - idle.length * LEAST_ROUNDS * IDLE_ROUND_SECONDS);
  await takeRounds(idle, mostSeconds);
  return {
    old: oldVersion.title,
    figures: compareFigures(samples, works, most),
    missed: [
      ...before.taken.missed.map((missed) => ({ ...missed, version: 'old' })),
      ...after.taken.missed.map((missed) => ({ ...missed, version: 'new' })),
    ],
    samples,
    seconds: passed(),
  };
}
