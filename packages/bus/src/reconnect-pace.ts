/** An attempt at a server is followed by the next one at it after this, and up to as much again. */
const PAUSE_MS = 100;

/**
 * The client asks before every look whether a server was left alone for long enough, and compares by the wall clock.
 * One that was put back would keep a lost connection from being made again until the old time is reached: after one
 * pause the answer is therefore yes, whatever that clock says.
 */
export function reconnectPace(clock: () => number): () => number {
  let askedAt = -Infinity;
  return () => {
    const now = clock();
    const paused = now - askedAt >= PAUSE_MS;
    askedAt = now;
    return paused ? -Infinity : PAUSE_MS + Math.random() * PAUSE_MS;
  };
}
