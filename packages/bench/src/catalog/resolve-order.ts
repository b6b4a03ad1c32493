export interface ResolveOrder {
  readonly address: string;
  /** Keys are asked for at random, of so many. */
  readonly keys: number;
  readonly inFlight: number;
}

export interface ResolveState {
  readonly resolved: number;
  /** Answers that no key has that digest, and calls that failed. */
  readonly unknown: number;
  readonly failed: number;
  readonly latencyMs: readonly number[];
}
