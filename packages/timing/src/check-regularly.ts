/** A check that comes this much later than it should shows that the process itself did not run. */
const STOOD_STILL_MS = 1_000;

export interface RegularCheckOptions {
  readonly everyMs: number;
  /** A monotonic clock in milliseconds. */
  readonly clock: () => number;
}

/**
 * Calls it again and again, for the silence of others. Not right after the process stood still: its timers come first
 * when it goes on, and what others said meanwhile is still to be read.
 */
export function checkRegularly(
  check: () => void,
  { everyMs, clock }: RegularCheckOptions,
): Disposable {
  let checkedAt = clock();
  let leftOut = false;
  const timer = setInterval(() => {
    const now = clock();
    const stoodStill = now - checkedAt >= everyMs + STOOD_STILL_MS;
    checkedAt = now;
    // Never two in a row: a process that is only slow has read meanwhile.
    leftOut = stoodStill && !leftOut;
    if (!leftOut) check();
  }, everyMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
