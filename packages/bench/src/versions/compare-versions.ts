import { PauseWitness } from '@sluice/devkit/pauses';
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
  /** The git revision of the old version. The new one is the working tree. */
  readonly revision: string;
  readonly works: readonly ComparedWork[];
  /** The maximum ratio of new to old, for example 1.05. */
  readonly maxRatio: number;
  /** A round that would end after this time is not started. */
  readonly maxSeconds: number;
}

export interface VersionsComparison {
  readonly old: string;
  readonly figures: readonly FigureComparison[];
  readonly missed: readonly (Missed & { readonly version: string })[];
  readonly samples: VersionSamples;
  readonly seconds: number;
}

/**
 * Many short rounds give a more precise ratio than a few long ones, because both versions run under the same
 * conditions.
 */
const PACE: Pace = { requests: 1.5, paced: 2, unpaced: 1.5, firstToken: 0, scale: 0 };
/**
 * A workload may be decided after this many rounds, and after each doubling of this number. A decision after every
 * round would stop at the first round that is within the limit by chance.
 */
const MIN_ROUNDS = { idle: 6, others: 12 } as const;
const MAX_ROUNDS = 192;
/** Approximate duration of a round of idle streams for both versions. */
const IDLE_ROUND_SECONDS = 15;

/** Both versions run side by side and take turns, so that a slow minute affects both. */
export async function compareVersions(
  { revision, works, maxRatio, maxSeconds }: VersionsOptions,
  { cleanUp, say }: CommandContext,
): Promise<VersionsComparison> {
  const startedAt = performance.now();
  const elapsedSeconds = () => (performance.now() - startedAt) / 1_000;
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
    const sayNamed = (line: string) => say(`${name}  ${line}`);
    const measurements = new Measurements({
      pace: PACE,
      generator,
      simulator,
      witness,
      say: sayNamed,
    });
    return { contestant, measurements };
  };
  const before = await startVersion('old', oldVersion.folder);
  const after = await startVersion('new');
  const samples = { old: before.measurements.samples, new: after.measurements.samples };

  async function takeRounds(
    chosen: readonly ComparedWork[],
    minRounds: number,
    untilSeconds: number,
  ) {
    let open: ReadonlySet<ComparedWork> = new Set(chosen);
    let decideAfter = minRounds;
    let longestRound = 0;
    for (let round = 1; round <= MAX_ROUNDS; round += 1) {
      if (round > decideAfter) {
        open = openWorks(compareFigures(samples, chosen, maxRatio));
        decideAfter *= 2;
      }
      const began = elapsedSeconds();
      const isExcluded = [before, after].some(
        ({ measurements }) => measurements.excluded.sluice !== undefined,
      );
      if (open.size === 0 || isExcluded || began + longestRound > untilSeconds) return;
      for (const work of chosen.filter((one) => open.has(one))) {
        // Each version is first in every other round.
        for (const version of round % 2 === 1 ? [before, after] : [after, before]) {
          await version.measurements.take(version.contestant, work, { round, rounds: MAX_ROUNDS });
        }
      }
      longestRound = Math.max(longestRound, elapsedSeconds() - began);
    }
  }

  // Idle streams need garbage collections, after which V8 may compile code again. Therefore they are measured last.
  const idle = works.filter((work) => work === 'idle');
  const others = works.filter((work) => work !== 'idle');
  const idleSeconds = idle.length * MIN_ROUNDS.idle * IDLE_ROUND_SECONDS;
  await takeRounds(others, MIN_ROUNDS.others, maxSeconds - idleSeconds);
  await takeRounds(idle, MIN_ROUNDS.idle, maxSeconds);
  return {
    old: oldVersion.title,
    figures: compareFigures(samples, works, maxRatio),
    missed: [
      ...before.measurements.missed.map((missed) => ({ ...missed, version: 'old' })),
      ...after.measurements.missed.map((missed) => ({ ...missed, version: 'new' })),
    ],
    samples,
    seconds: elapsedSeconds(),
  };
}
