import type { FigureName, LoadQuality } from './figures.ts';
import type { Observed } from './observe.ts';

/** How long each workload is observed, in seconds. */
export interface Pace {
  readonly requests: number;
  readonly paced: number;
  readonly unpaced: number;
  readonly firstToken: number;
  readonly scale: number;
}

export const FULL_PACE: Pace = { requests: 2.5, paced: 3, unpaced: 1.5, firstToken: 4, scale: 3 };
export const QUICK_PACE: Pace = { requests: 2, paced: 2, unpaced: 1, firstToken: 2, scale: 2 };

export interface Measured {
  readonly figures: Readonly<Partial<Record<FigureName, number>>>;
  readonly processes: Readonly<Record<string, number>>;
  readonly load: LoadQuality;
}

export type Work = (observed: Observed, pace: Pace) => Promise<Measured | undefined>;
