export interface Fault {
  /** For example `kill worker-2`. */
  readonly name: string;
  readonly startedAt: number;
  /** When the broken part works again. Undefined until then. */
  recoveredAt: number | undefined;
  /** Why the fault could not be inflicted, or why it did not end. */
  failure?: string;
}

/**
 * After a fault, the rest of the stack needs this long to recover, because of heartbeats, circuit breakers and
 * connections.
 */
const AFTERMATH_MS = 3_000;

/** Records when faults were active, to separate the failures that they caused from other failures. */
export class FaultLog {
  readonly #faults: Fault[] = [];

  get faults(): readonly Fault[] {
    return this.#faults;
  }

  begin(name: string, at: number): Fault {
    const fault: Fault = { name, startedAt: at, recoveredAt: undefined };
    this.#faults.push(fault);
    return fault;
  }

  /** Whether a fault or its aftermath overlaps with this interval. */
  excuses({ startedAt, endedAt }: { startedAt: number; endedAt: number }): boolean {
    return this.#faults.some(
      (fault) =>
        endedAt >= fault.startedAt &&
        startedAt <= (fault.recoveredAt ?? Number.POSITIVE_INFINITY) + AFTERMATH_MS,
    );
  }

  /** The last fault that ended before this time, as a possible cause. */
  lastBefore(at: number): Fault | undefined {
    return this.#faults.findLast(
      ({ recoveredAt }) => recoveredAt !== undefined && recoveredAt < at,
    );
  }

  /** How much of an interval was free of faults and their aftermath. */
  faultFreeMs(from: number, to: number): number {
    const disturbed = this.#faults
      .map(({ startedAt, recoveredAt }) => ({
        start: Math.max(from, startedAt),
        end: Math.min(to, (recoveredAt ?? to) + AFTERMATH_MS),
      }))
      .filter(({ start, end }) => end > start)
      .toSorted((one, other) => one.start - other.start);
    let free = 0;
    let reached = from;
    for (const { start, end } of disturbed) {
      free += Math.max(0, start - reached);
      reached = Math.max(reached, end);
    }
    return free + Math.max(0, to - reached);
  }
}
