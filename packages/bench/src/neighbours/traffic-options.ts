import type { Target } from '../load/load-options.ts';
import type { KindName } from './kinds.ts';

/** Sends hostile requests of one kind, or ordinary requests with the same number of bytes. */
export interface TrafficOptions {
  readonly kind: KindName;
  readonly load: 'hostile' | 'harmless';
  readonly target: Target;
}

export interface TrafficState {
  readonly connections: number;
  readonly bytes: number;
  /** When the first byte was sent, in milliseconds since the epoch. */
  readonly sentAtMs: number;
  /** Connections that wait for their first reply. */
  readonly unanswered: number;
  /** Number of replies by status. */
  readonly statuses: Readonly<Record<string, number>>;
}
