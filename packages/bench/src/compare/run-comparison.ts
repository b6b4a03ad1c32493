import { PauseWitness } from '@sluice/devkit/pauses';
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
import { startSimulatorProgram, type SimulatorProgram } from '../programs/simulator-program.ts';
import type { Sample, WorkName } from './figures.ts';
import { Measurements, type Missed } from './measurements.ts';
import { rotated } from './rotated.ts';
import { warmUp } from './warm-up.ts';
import type { Pace } from './work.ts';

export interface ComparisonOptions {
  readonly rounds: number;
  /** A round that would end after this time is not started. */
  readonly maxSeconds: number;
  readonly works: readonly WorkName[];
  readonly contestants: readonly ContestantName[];
  readonly pace: Pace;
  readonly say: (line: string) => void;
  /** Resources to release when the run is interrupted. */
  readonly cleanUp: AsyncDisposableStack;
}

export interface Comparison {
  readonly machine: Machine;
  /** Rounds that were measured. */
  readonly rounds: number;
  readonly contestants: Readonly<Partial<Record<ContestantName, string>>>;
  /** Contestants that could not be started or were excluded during the run, with the reason. */
  readonly notRun: Readonly<Partial<Record<ContestantName, string>>>;
  /** Single measurements that failed, with the reason. */
  readonly missed: readonly Missed[];
  readonly samples: readonly Sample[];
  readonly seconds: number;
}

const START: Readonly<Record<ContestantName, StartContestant>> = {
  direct: startDirect,
  nginx: startNginx,
  portkey: startPortkey,
  sluice: (context) => startSluice(context),
};

/**
 * The workload that collects garbage runs last. A collection can make V8 discard compiled code, so a workload after it
 * would also measure compilation.
 */
const LAST_WORK: WorkName = 'idle';
/** Approximate duration for one contestant. */
const LAST_WORK_SECONDS = 7;

/** Measures every workload for every contestant in each round, so that a slow minute affects all contestants. */
export async function runComparison(options: ComparisonOptions): Promise<Comparison> {
  const { rounds, maxSeconds, works, pace, say, cleanUp } = options;
  const startedAt = performance.now();
  const elapsedSeconds = () => (performance.now() - startedAt) / 1_000;
  const simulator = cleanUp.use(await startSimulatorProgram());
  const generator = cleanUp.use(startLoadGenerator());
  const witness = cleanUp.use(await PauseWitness.start({ noticeSlowness: true }));
  const { contestants, notRun } = await startContestants(options, simulator);
  for (const contestant of contestants) {
    say(`warming up ${contestant.name} …`);
    await warmUp(contestant, generator, works);
    await simulator.idle();
  }
  const measurements = new Measurements({ pace, generator, simulator, witness, say });
  const takeRounds = async (worksOfRound: readonly WorkName[], untilSeconds: number) => {
    let longestRound = 0;
    for (let round = 1; round <= rounds; round += 1) {
      const roundBegan = elapsedSeconds();
      if (roundBegan + longestRound > untilSeconds) {
        say(
          `no time for another round in ${maxSeconds / 60} minutes: this machine is slow or busy`,
        );
        return round - 1;
      }
      for (const work of worksOfRound) {
        // The order rotates, so that a contestant does not always run after the same one.
        for (const contestant of rotated(contestants, round - 1)) {
          await measurements.take(contestant, work, { round, rounds });
        }
      }
      longestRound = Math.max(longestRound, elapsedSeconds() - roundBegan);
    }
    return rounds;
  };
  const last = works.filter((work) => work === LAST_WORK);
  const lastSeconds = last.length * rounds * contestants.length * LAST_WORK_SECONDS;
  const others = works.filter((work) => work !== LAST_WORK);
  const measuredRounds = [
    await takeRounds(others, maxSeconds - lastSeconds),
    await takeRounds(last, maxSeconds),
  ];
  return {
    machine: describeMachine(),
    rounds: Math.min(...measuredRounds),
    contestants: Object.fromEntries(
      contestants.map(({ name, description }) => [name, description]),
    ),
    notRun: { ...notRun, ...measurements.excluded },
    missed: measurements.missed,
    samples: withAddedTimes(measurements.samples),
    seconds: elapsedSeconds(),
  };
}

type NotRun = Partial<Record<ContestantName, string>>;

async function startContestants(
  { contestants: names, say, cleanUp }: ComparisonOptions,
  simulator: SimulatorProgram,
): Promise<{ contestants: Contestant[]; notRun: NotRun }> {
  const contestants: Contestant[] = [];
  const notRun: NotRun = {};
  for (const name of names) {
    say(`starting ${name} …`);
    try {
      contestants.push(cleanUp.use(await START[name]({ simulator, say })));
    } catch (error) {
      if (!(error instanceof CannotRun)) throw error;
      notRun[name] = error.message;
      say(`${name} is NOT RUN: ${error.message}`);
    }
  }
  return { contestants, notRun };
}

/** Adds to each sample its time to first token minus that of the runtime itself in the same round. */
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
    const added = (figure: 'first_token_p50_ms' | 'first_token_p99_ms') =>
      (sample.figures[figure] ?? Number.NaN) - (base[figure] ?? Number.NaN);
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
