import { PauseWitness } from '@sluice/machine';
import {
  CannotRun,
  type Contestant,
  type ContestantName,
  type StartContestant,
} from '../contestants/contestant.ts';
import { startDirect } from '../contestants/direct.ts';
import { startNginx } from '../contestants/nginx.ts';
import { startPortkey } from '../contestants/portkey.ts';
import { startSluice } from '../contestants/sluice.ts';
import { startLoadGenerator } from '../load/load-generator.ts';
import { describeMachine, type Machine } from '../measure/process-usage.ts';
import { startSimulatorProgram } from '../programs/simulator-program.ts';
import { WORK_TITLES, type Sample, type WorkName } from './figures.ts';
import { rotated } from './rotated.ts';
import { warmUp } from './warm-up.ts';
import type { Pace } from './work.ts';
import { RUN_WORK } from './works.ts';

export interface ComparisonOptions {
  readonly rounds: number;
  readonly works: readonly WorkName[];
  readonly contestants: readonly ContestantName[];
  readonly pace: Pace;
  readonly say: (line: string) => void;
  /** What must be ended when the run is broken off. */
  readonly cleanUp: AsyncDisposableStack;
}

export interface Comparison {
  readonly machine: Machine;
  readonly rounds: number;
  readonly contestants: Readonly<Partial<Record<ContestantName, string>>>;
  /** Those that could not be started or did not last, with the reason. */
  readonly notRun: Readonly<Partial<Record<ContestantName, string>>>;
  /** Single measurements that did not come about, and why. */
  readonly missed: readonly string[];
  readonly samples: readonly Sample[];
  readonly seconds: number;
}

const START: Readonly<Record<ContestantName, StartContestant>> = {
  direct: startDirect,
  nginx: startNginx,
  portkey: startPortkey,
  sluice: (context) => startSluice(context),
};

/** A contestant that fails so often has gone, or never answers. */
const MOST_MISSED = 3;

/** Every work for every contestant, round after round, so that a slow minute hits all of them. */
export async function runComparison(options: ComparisonOptions): Promise<Comparison> {
  const { rounds, works, pace, say, cleanUp } = options;
  const startedAt = performance.now();
  const simulator = cleanUp.use(await startSimulatorProgram());
  const generator = cleanUp.use(startLoadGenerator());
  const witness = cleanUp.use(await PauseWitness.start());
  const notRun: Partial<Record<ContestantName, string>> = {};
  const contestants: Contestant[] = [];
  for (const name of options.contestants) {
    say(`starting ${name} …`);
    try {
      contestants.push(cleanUp.use(await START[name]({ simulator, say })));
    } catch (error) {
      if (!(error instanceof CannotRun)) throw error;
      notRun[name] = error.message;
      say(`${name} is NOT RUN: ${error.message}`);
    }
  }
  for (const contestant of contestants) {
    say(`warming up ${contestant.name} …`);
    await warmUp(contestant, generator, works);
    await simulator.idle();
  }
  const samples: Sample[] = [];
  const missed: string[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const work of works) {
      // Who goes first changes, so that nobody always follows the same neighbour.
      for (const contestant of rotated(contestants, round - 1)) {
        const { name } = contestant;
        if (notRun[name] !== undefined) continue;
        const title = `round ${round}/${rounds}  ${WORK_TITLES[work]}  ${name}`;
        const began = performance.now();
        try {
          const measured = await RUN_WORK[work](
            { contestant, generator, simulator, witness },
            pace,
          );
          if (measured === undefined) continue;
          samples.push({ round, work, contestant: name, ...measured });
          say(`${title} (${((performance.now() - began) / 1_000).toFixed(1)} s)`);
        } catch (error) {
          // What it has shown so far stands; the others go on.
          const reason = error instanceof Error ? error.message : 'failed';
          missed.push(`${name}, ${work}, round ${round}: ${reason}`);
          say(`${title} MISSED: ${reason}`);
          await generator.stop().catch(() => undefined);
          await simulator.idle().catch(() => undefined);
          if (missed.filter((line) => line.startsWith(`${name}, `)).length < MOST_MISSED) continue;
          notRun[name] = `from ${title} on: ${MOST_MISSED} measurements had failed`;
          say(`${name} is out`);
        }
      }
    }
  }
  return {
    machine: describeMachine(),
    rounds,
    contestants: Object.fromEntries(
      contestants.map(({ name, description }) => [name, description]),
    ),
    notRun,
    missed,
    samples: withAddedTimes(samples),
    seconds: (performance.now() - startedAt) / 1_000,
  };
}

/** What a contestant adds is told from the runtime itself in the same round. */
function withAddedTimes(samples: readonly Sample[]): Sample[] {
  const direct = new Map(
    samples
      .filter(({ work, contestant }) => work === 'first-token' && contestant === 'direct')
      .map(({ round, figures }) => [round, figures]),
  );
  return samples.map((sample) => {
    const base = direct.get(sample.round);
    if (sample.work !== 'first-token' || sample.contestant === 'direct' || base === undefined) {
      return sample;
    }
    const added = (of: 'first_token_p50_ms' | 'first_token_p99_ms') =>
      (sample.figures[of] ?? Number.NaN) - (base[of] ?? Number.NaN);
    return {
      ...sample,
      figures: {
        ...sample.figures,
        added_first_token_p50_ms: added('first_token_p50_ms'),
        added_first_token_p99_ms: added('first_token_p99_ms'),
      },
    };
  });
}
