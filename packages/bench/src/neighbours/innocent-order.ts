import type { Target } from '../load/load-order.ts';
import type { Timings } from '../measure/timings.ts';

/** Small requests at a set rate, and paced streams, each followed by the next. */
export interface InnocentOrder {
  readonly target: Target;
  readonly requestsPerSecond: number;
  readonly streams: number;
  /** Between two tokens of a stream. */
  readonly paceMs: number;
}

/** The lists since the last look. */
export interface InnocentState {
  /** From the request to the end of its reply. */
  readonly requests: Timings;
  /** From one event of a stream to the next. */
  readonly gaps: Timings;
  /** Requests and streams that were not answered in full. */
  readonly failed: number;
  readonly open: number;
}
