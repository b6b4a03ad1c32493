import type { Target } from '../load/load-options.ts';
import type { Timings } from '../measure/timings.ts';

/** Small requests at a fixed rate, and paced streams. A stream that ends is followed by the next one. */
export interface InnocentOptions {
  readonly target: Target;
  readonly requestsPerSecond: number;
  readonly streams: number;
  /** Time between two tokens of a stream. */
  readonly paceMs: number;
}

/** The list entries since the last reading. */
export interface InnocentState {
  /** Times from a request to the end of its reply. */
  readonly requests: Timings;
  /** Times from one event of a stream to the next. */
  readonly gaps: Timings;
  /** Requests and streams that were not answered in full. */
  readonly failed: number;
  readonly open: number;
}
