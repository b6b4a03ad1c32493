export interface ResolveOptions {
  readonly address: string;
  /** Number of keys. Each look-up picks one at random. */
  readonly keys: number;
  readonly inFlight: number;
}

export interface ResolveState {
  readonly resolved: number;
  /** Digests that no key has. */
  readonly unknown: number;
  readonly failed: number;
  readonly latencyMs: readonly number[];
}
