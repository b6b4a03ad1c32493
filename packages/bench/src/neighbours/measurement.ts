import type { KindName } from './kinds.ts';
import type { TrafficOrder } from './traffic-order.ts';

/** What the innocent organization saw while one load was on the stack, and what the loops of the stack did. */
export interface Measurement {
  readonly round: number;
  readonly kind: KindName;
  readonly load: TrafficOrder['load'];
  readonly bytes: number;
  readonly connections: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** Of its requests and between the events of its streams, in milliseconds. */
  readonly requestsMs: readonly number[];
  readonly gapsMs: readonly number[];
  /** Its requests and streams that were not answered in full. */
  readonly failed: number;
  /** The longest block of each process, in milliseconds. */
  readonly blocksMs: Readonly<Record<string, number>>;
  /** Cores used by programs that have no part in this. */
  readonly foreignCores: number;
}
