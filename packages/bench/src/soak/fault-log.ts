export interface Fault {
  /** Such as `kill worker-2`. */
  readonly name: string;
  readonly startedAt: number;
  /** When whatever was broken works again; undefined while it does not. */
  recoveredAt: number | undefined;
  /** Why it could not be inflicted, or was never over. */
  failure?: string;
}

/** After a fault is over its neighbours still need a moment: heartbeats, breakers, connections. */
const AFTERMATH_MS = 3_000;

/** What was broken when, to tell a failure that was caused from one that was not. */
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

  /** Whether something was broken, or just mended, at any moment of this interval. */
  excuses({ startedAt, endedAt }: { startedAt: number; endedAt: number }): boolean {
    return this.#faults.some(
      (fault) =>
        endedAt >= fault.startedAt &&
        startedAt <= (fault.recoveredAt ?? Number.POSITIVE_INFINITY) + AFTERMATH_MS,
    );
  }

  /** The last fault that was over before, to look for a cause. */
  lastBefore(at: number): Fault | undefined {
    return this.#faults.findLast(
      ({ recoveredAt }) => recoveredAt !== undefined && recoveredAt < at,
    );
  }

  /** How much of an interval was free of faults and their aftermath. */
  calmMs(from: number, to: number): number {
    const disturbed = this.#faults
      .map(({ startedAt, recoveredAt }) => ({
        start: Math.max(from, startedAt),
        end: Math.min(to, (recoveredAt ?? to) + AFTERMATH_MS),
      }))
      .filter(({ start, end }) => end > start)
      .toSorted((one, other) => one.start - other.start);
    let calm = 0;
    let reached = from;
    for (const { start, end } of disturbed) {
      calm += Math.max(0, start - reached);
      reached = Math.max(reached, end);
    }
    return calm + Math.max(0, to - reached);
  }
}
