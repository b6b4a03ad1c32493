/**
 * A time limit for an answer from a socket or a thread. The event loop runs timers before it reads sockets
 * (https://nodejs.org/en/learn/asynchronous-work/event-loop-timers-and-nexttick). After a pause of the process, the
 * timer would run although the answer has arrived. Therefore data that has arrived is read first, and may still stop
 * the deadline.
 */
export class Deadline {
  readonly #timer: NodeJS.Timeout;
  #turn: NodeJS.Immediate | undefined;

  constructor(limitMs: number, onMissed: () => void) {
    this.#timer = setTimeout(() => {
      this.#turn = setImmediate(onMissed);
    }, limitMs);
  }

  /** Call this if the answer arrived or is no longer needed. Has no effect on a missed deadline. */
  stop(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#turn);
  }
}

/**
 * Runs the work after the given number of turns of the event loop. Timers run before sockets are read. A timer uses
 * this function so that messages which arrived while the process was busy are read before it concludes that nothing
 * arrived.
 */
export function afterTurns(turns: number, work: () => void): void {
  setImmediate(() => {
    if (turns > 1) afterTurns(turns - 1, work);
    else work();
  });
}

/** Waits until the work has succeeded or failed, for at most `limitMs`. Never rejects. */
export async function withTimeout(limitMs: number, work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limitMs);
  const end = () => resolve();
  work.then(end, end);
  await promise;
  clearTimeout(timer);
}

/** If a check runs this much too late, the process itself was paused. */
const PAUSED_MS = 1_000;

export interface RegularCheckOptions {
  readonly everyMs: number;
  /** A monotonic clock in milliseconds. */
  readonly clock: () => number;
}

/**
 * Calls `check` in intervals, to detect that other processes are silent. Skips the check right after a pause of this
 * process: timers run before sockets are read, so the messages that arrived during the pause are not read yet.
 */
export function everyInterval(
  check: () => void,
  { everyMs, clock }: RegularCheckOptions,
): Disposable {
  let checkedAt = clock();
  let wasSkipped = false;
  const timer = setInterval(() => {
    const now = clock();
    const wasPaused = now - checkedAt >= everyMs + PAUSED_MS;
    checkedAt = now;
    // Two checks in a row are never skipped, because a process that is only slow has read its sockets between them.
    wasSkipped = wasPaused && !wasSkipped;
    if (!wasSkipped) check();
  }, everyMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
