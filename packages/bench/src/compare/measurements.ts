import type { Contestant, ContestantName } from '../contestants/contestant.ts';
import { WORK_TITLES, type Sample, type WorkName } from './figures.ts';
import type { Observed } from './observe.ts';
import type { Pace } from './work.ts';
import { RUN_WORK } from './works.ts';

export interface MeasurementOptions extends Omit<Observed, 'contestant'> {
  readonly pace: Pace;
  readonly say: (line: string) => void;
}

/** A contestant with this many failures takes no further part in the run. */
const MAX_MISSED = 3;

/** A measurement that failed. */
export interface Missed extends Pick<Sample, 'round' | 'work' | 'contestant'> {
  readonly reason: string;
}

/** The measurements of a run, with those that failed. */
export class Measurements {
  readonly samples: Sample[] = [];
  readonly missed: Missed[] = [];
  /** Contestants that were excluded during the run, with the reason. */
  readonly excluded: Partial<Record<ContestantName, string>> = {};
  readonly #failures = new Map<ContestantName, number>();
  readonly #options: MeasurementOptions;

  constructor(options: MeasurementOptions) {
    this.#options = options;
  }

  /** Measures one workload of one contestant. A failure is recorded, and the run continues. */
  async take(
    contestant: Contestant,
    work: WorkName,
    { round, rounds }: { round: number; rounds: number },
  ): Promise<void> {
    const { pace, say, ...context } = this.#options;
    const { name } = contestant;
    if (this.excluded[name] !== undefined) return;
    const title = `round ${round}/${rounds}  ${WORK_TITLES[work]}  ${name}`;
    const startedAt = performance.now();
    try {
      const measured = await RUN_WORK[work]({ contestant, ...context }, pace);
      if (measured === undefined) return;
      this.samples.push({ round, work, contestant: name, ...measured });
      say(`${title} (${((performance.now() - startedAt) / 1_000).toFixed(1)} s)`);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'failed';
      this.missed.push({ round, work, contestant: name, reason });
      say(`${title} MISSED: ${reason}`);
      await this.#endLoad();
      this.#countFailure(name, title);
    }
  }

  async #endLoad(): Promise<void> {
    const { generator, simulator } = this.#options;
    await generator.stop().catch(() => undefined);
    await simulator.idle().catch(() => undefined);
  }

  #countFailure(name: ContestantName, title: string): void {
    const failures = (this.#failures.get(name) ?? 0) + 1;
    this.#failures.set(name, failures);
    if (failures < MAX_MISSED) return;
    this.excluded[name] = `from ${title} on: ${MAX_MISSED} measurements had failed`;
    this.#options.say(`${name} is out`);
  }
}
