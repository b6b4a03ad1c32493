import type { ContestantName } from '../contestants/contestant.ts';
import type { FigureName } from './figures.ts';

/** The median of a figure of a contestant; undefined when it was not measured. */
export type Medians = (contestant: ContestantName, figure: FigureName) => number | undefined;

export interface Verdict {
  readonly promise: string;
  /** Undefined when a contestant or a work was left out. */
  readonly value: number | undefined;
  readonly limit: number;
  readonly unit: string;
  /** Undefined when it could not be judged. */
  readonly kept: boolean | undefined;
}

interface Promised {
  readonly promise: string;
  readonly limit: number;
  readonly unit: string;
  readonly value: (medians: Medians) => number | undefined;
}

function ratio(ofSluice: FigureName, over: ContestantName, theirs: FigureName): Promised['value'] {
  return (medians) => {
    const ours = medians('sluice', ofSluice);
    const others = medians(over, theirs);
    return ours === undefined || others === undefined ? undefined : ours / others;
  };
}

function own(figure: FigureName): Promised['value'] {
  return (medians) => medians('sluice', figure);
}

/** What Sluice promises about its cost, each a number that must not be exceeded. */
const PROMISES: readonly Promised[] = [
  {
    promise: "relayed event: the gateway over nginx's CPU",
    limit: 2,
    unit: '×',
    value: ratio('gateway_us_per_paced_event', 'nginx', 'gateway_us_per_paced_event'),
  },
  {
    promise: "relayed event: the gateway over Portkey's CPU",
    limit: 0.3,
    unit: '×',
    value: ratio('gateway_us_per_paced_event', 'portkey', 'gateway_us_per_paced_event'),
  },
  {
    promise: "relayed event: all of Sluice's processes over Portkey's CPU",
    limit: 1,
    unit: '×',
    value: ratio('all_us_per_paced_event', 'portkey', 'all_us_per_paced_event'),
  },
  {
    promise: "request: the gateway over Portkey's CPU",
    limit: 0.16,
    unit: '×',
    value: ratio('gateway_us_per_request', 'portkey', 'gateway_us_per_request'),
  },
  {
    promise: "request: the gateway over nginx's CPU",
    limit: 6,
    unit: '×',
    value: ratio('gateway_us_per_request', 'nginx', 'gateway_us_per_request'),
  },
  {
    promise: "request: all of Sluice's processes over Portkey's CPU",
    limit: 1 / 3,
    unit: '×',
    value: ratio('all_us_per_request', 'portkey', 'all_us_per_request'),
  },
  {
    promise: 'added time to first token, p50',
    limit: 2.5,
    unit: 'ms',
    value: own('added_first_token_p50_ms'),
  },
  {
    promise: 'added time to first token, p99',
    limit: 8,
    unit: 'ms',
    value: own('added_first_token_p99_ms'),
  },
  {
    promise: "added time to first token, p50, over Portkey's",
    limit: 0.1,
    unit: '×',
    value: ratio('added_first_token_p50_ms', 'portkey', 'added_first_token_p50_ms'),
  },
  {
    promise: 'resident memory per idle stream in the gateway',
    limit: 40,
    unit: 'KiB',
    value: own('gateway_kib_per_stream'),
  },
  {
    promise: 'cost per event of 5,000 streams over that of 100',
    limit: 1.15,
    unit: '×',
    value: own('scale_ratio'),
  },
];

export function judge(medians: Medians): Verdict[] {
  return PROMISES.map(({ promise, limit, unit, value }) => {
    const measured = value(medians);
    return {
      promise,
      limit,
      unit,
      value: measured,
      kept: measured === undefined ? undefined : measured <= limit,
    };
  });
}
