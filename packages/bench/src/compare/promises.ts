import type { ContestantName } from '../contestants/contestant.ts';
import { isBusyWithOthers, ranTooSlowly } from '../measure/busy-machine.ts';
import { FIGURES, type FigureName, type WorkName } from './figures.ts';

/** The median of a figure of a contestant. Undefined when it was not measured. */
export type Medians = (contestant: ContestantName, figure: FigureName) => number | undefined;

export type Disturbance = 'other programs used too much' | 'the machine ran too slowly';

export interface Verdict {
  readonly promise: string;
  /** An aim is reported, but a missed aim does not fail the run. */
  readonly isAim: boolean;
  /** The workload that measures it. */
  readonly work: WorkName;
  /** Undefined when a contestant or a workload was left out. */
  readonly value: number | undefined;
  readonly limit: number;
  readonly unit: string;
  /** Undefined when it could not be judged. */
  readonly kept: boolean | undefined;
  /** Why a measured time cannot be judged. */
  readonly disturbance: Disturbance | undefined;
}

/** A figure of Sluice, alone or divided by the same figure of another contestant. */
interface Promised {
  readonly promise: string;
  /** Some complete runs have missed it, see "What is promised" in docs/performance.md. */
  readonly isAim?: true;
  readonly figure: FigureName;
  /** For a promised time: the figure with the share of measurements that were left out. */
  readonly leftOut?: FigureName;
  /** The contestant by whose figure it is divided. */
  readonly over?: ContestantName;
  readonly limit: number;
}

/** What Sluice promises or aims for. Each limit is a maximum. */
const PROMISES: readonly Promised[] = [
  {
    promise: "relayed event: the gateway over nginx's CPU",
    figure: 'gateway_us_per_paced_event',
    over: 'nginx',
    limit: 2,
  },
  {
    promise: "relayed event: the gateway over Portkey's CPU",
    figure: 'gateway_us_per_paced_event',
    over: 'portkey',
    limit: 0.3,
  },
  {
    promise: "relayed event: all of Sluice's processes over Portkey's CPU",
    figure: 'all_us_per_paced_event',
    over: 'portkey',
    limit: 1,
  },
  {
    promise: "request: the gateway over Portkey's CPU",
    figure: 'gateway_us_per_request',
    over: 'portkey',
    limit: 0.16,
    isAim: true,
  },
  {
    promise: "request: the gateway over nginx's CPU",
    figure: 'gateway_us_per_request',
    over: 'nginx',
    limit: 6,
    isAim: true,
  },
  {
    promise: "request: all of Sluice's processes over Portkey's CPU",
    figure: 'all_us_per_request',
    over: 'portkey',
    limit: 1 / 3,
    isAim: true,
  },
  {
    promise: 'added time to first token, p50',
    figure: 'added_first_token_p50_ms',
    leftOut: 'first_token_left_out',
    limit: 2.5,
    isAim: true,
  },
  {
    promise: 'added time to first token, p99',
    figure: 'added_first_token_p99_ms',
    leftOut: 'first_token_left_out',
    limit: 8,
  },
  {
    promise: "added time to first token, p50, over Portkey's",
    figure: 'added_first_token_p50_ms',
    leftOut: 'first_token_left_out',
    over: 'portkey',
    limit: 0.1,
    isAim: true,
  },
  {
    promise: 'resident memory per idle stream in the gateway',
    figure: 'gateway_kib_per_stream',
    limit: 40,
  },
  {
    promise: 'cost per event of 5,000 streams over that of 100',
    figure: 'scale_ratio',
    limit: 1.15,
    isAim: true,
  },
];

export function judge(
  medians: Medians,
  /** Cores that programs outside the benchmark used during a workload. */
  foreignCores: (work: WorkName) => number,
): Verdict[] {
  const disturbanceOf = (work: WorkName, leftOut: FigureName): Disturbance | undefined => {
    if (isBusyWithOthers(foreignCores(work))) return 'other programs used too much';
    if (ranTooSlowly(medians('sluice', leftOut) ?? 0)) return 'the machine ran too slowly';
    return undefined;
  };
  return PROMISES.map(({ promise, isAim = false, figure, leftOut, over, limit }) => {
    const ours = medians('sluice', figure);
    const others = over === undefined ? 1 : medians(over, figure);
    const value = ours === undefined || others === undefined ? undefined : ours / others;
    const { work, unit } = FIGURES[figure];
    const isTime = value !== undefined && leftOut !== undefined;
    const disturbance = isTime ? disturbanceOf(work, leftOut) : undefined;
    return {
      promise,
      isAim,
      work,
      value,
      limit,
      unit: over === undefined ? unit : '×',
      kept: value === undefined || disturbance !== undefined ? undefined : value <= limit,
      disturbance,
    };
  });
}
