import type { ContestantName } from '../contestants/contestant.ts';
import { isBusyWithOthers } from '../measure/busy-machine.ts';
import { FIGURES, type FigureName, type WorkName } from './figures.ts';

/** The median of a figure of a contestant; undefined when it was not measured. */
export type Medians = (contestant: ContestantName, figure: FigureName) => number | undefined;

export interface Verdict {
  readonly promise: string;
  /** The work that shows it. */
  readonly work: WorkName;
  /** Undefined when a contestant or a work was left out. */
  readonly value: number | undefined;
  readonly limit: number;
  readonly unit: string;
  /** Undefined when it could not be judged. */
  readonly kept: boolean | undefined;
  /** A time was measured, but other programs used the machine too much for it to mean anything. */
  readonly disturbed: boolean;
}

/** A figure of Sluice, by itself or over the same figure of another contestant. */
interface Promised {
  readonly promise: string;
  readonly figure: FigureName;
  readonly over?: ContestantName;
  readonly limit: number;
}

/** What Sluice promises about its cost, each a number that must not be exceeded. */
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
  },
  {
    promise: "request: the gateway over nginx's CPU",
    figure: 'gateway_us_per_request',
    over: 'nginx',
    limit: 6,
  },
  {
    promise: "request: all of Sluice's processes over Portkey's CPU",
    figure: 'all_us_per_request',
    over: 'portkey',
    limit: 1 / 3,
  },
  {
    promise: 'added time to first token, p50',
    figure: 'added_first_token_p50_ms',
    limit: 2.5,
  },
  {
    promise: 'added time to first token, p99',
    figure: 'added_first_token_p99_ms',
    limit: 8,
  },
  {
    promise: "added time to first token, p50, over Portkey's",
    figure: 'added_first_token_p50_ms',
    over: 'portkey',
    limit: 0.1,
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
  },
];

export function judge(
  medians: Medians,
  /** Cores that other programs used during a work. */
  foreignCores: (work: WorkName) => number,
): Verdict[] {
  return PROMISES.map(({ promise, figure, over, limit }) => {
    const ours = medians('sluice', figure);
    const others = over === undefined ? 1 : medians(over, figure);
    const value = ours === undefined || others === undefined ? undefined : ours / others;
    const { work, unit } = FIGURES[figure];
    const disturbed = unit === 'ms' && isBusyWithOthers(foreignCores(work));
    return {
      promise,
      work,
      value,
      limit,
      unit: over === undefined ? unit : '×',
      kept: value === undefined || disturbed ? undefined : value <= limit,
      disturbed: value !== undefined && disturbed,
    };
  });
}
