import type { Timings } from '../measure/timings.ts';

/** Where a contestant is reached, and what it wants to see in each request. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Each connection sends its next request when the reply to the last one is complete. */
export interface ClosedLoopOrder {
  readonly kind: 'closed loop';
  readonly connections: number;
}

/** One connection a body, each held open; bodies say how the stream goes on. One that is refused is tried again. */
export interface HeldStreamsOrder {
  readonly kind: 'held streams';
  readonly opensPerSecond: number;
}

/** Requests arrive at a set rate, whether or not earlier ones were answered. */
export interface ArrivalsOrder {
  readonly kind: 'arrivals';
  readonly perSecond: number;
}

export interface LoadOrder {
  readonly target: Target;
  /** JSON texts, sent in turn. */
  readonly bodies: readonly string[];
  readonly pattern: ClosedLoopOrder | HeldStreamsOrder | ArrivalsOrder;
}

/** What was seen since the load began; the lists since the last look. */
export interface LoadState {
  readonly sent: number;
  readonly completed: number;
  readonly failed: number;
  /** How often each status came with a failure; 0 is a connection that broke. */
  readonly failures: Readonly<Record<string, number>>;
  readonly events: number;
  /** Replies whose first piece of an answer has arrived. */
  readonly begun: number;
  /** Requests whose replies have not ended. */
  readonly open: number;
  readonly firstTokens: Timings;
  readonly replies: Timings;
}
