import type { KindName } from './kinds.ts';
import type { TrafficOptions } from './traffic-options.ts';

/** The delays of the innocent organization during one load, and the event-loop blocks of the stack. */
export interface Measurement {
  readonly round: number;
  readonly kind: KindName;
  readonly load: TrafficOptions['load'];
  readonly bytes: number;
  readonly connections: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** Durations of the innocent organization's requests, and gaps between events of its streams, in milliseconds. */
  readonly requestsMs: readonly number[];
  readonly gapsMs: readonly number[];
  /** Requests and streams of the innocent organization that were not answered in full. */
  readonly failed: number;
  /** The longest event-loop block of each process, in milliseconds. */
  readonly blocksMs: Readonly<Record<string, number>>;
  /** Cores used by programs outside the benchmark. */
  readonly foreignCores: number;
}
