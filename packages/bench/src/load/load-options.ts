import type { Timings } from '../measure/timings.ts';

/** The address of a contestant, and what each request must carry. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Each connection sends its next request when its last reply is complete. */
export interface ClosedLoop {
  readonly kind: 'closed loop';
  readonly connections: number;
}

/** One connection for each body, held open. The body decides how the stream goes on. A refused request is repeated. */
export interface HeldStreams {
  readonly kind: 'held streams';
  readonly opensPerSecond: number;
}

/** Requests arrive at a fixed rate, even when earlier ones are not answered yet. */
export interface Arrivals {
  readonly kind: 'arrivals';
  readonly perSecond: number;
}

export interface LoadOptions {
  readonly target: Target;
  /** JSON texts, sent in turn. */
  readonly bodies: readonly string[];
  readonly pattern: ClosedLoop | HeldStreams | Arrivals;
}

/** Counts since the load began, and the list entries since the last reading. */
export interface LoadState {
  readonly sent: number;
  readonly completed: number;
  readonly failed: number;
  /** Number of failed replies by status. 0 stands for a broken connection. */
  readonly failures: Readonly<Record<string, number>>;
  readonly events: number;
  /** Replies with a first token. */
  readonly begun: number;
  /** Requests whose replies have not ended. */
  readonly open: number;
  readonly firstTokens: Timings;
  readonly replies: Timings;
}
