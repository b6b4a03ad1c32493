import type { Target } from '../load/load-order.ts';
import type { KindName } from './kinds.ts';

/** The same number of bytes twice: as hostile requests of one kind, or as ordinary ones. */
export interface TrafficOrder {
  readonly kind: KindName;
  readonly load: 'hostile' | 'harmless';
  readonly target: Target;
}

export interface TrafficState {
  readonly connections: number;
  readonly bytes: number;
  /** When the first byte was sent, in milliseconds since the epoch. */
  readonly sentAtMs: number;
  /** Connections that may expect a reply and have none. */
  readonly unanswered: number;
  /** How often each status was answered. */
  readonly statuses: Readonly<Record<string, number>>;
}
