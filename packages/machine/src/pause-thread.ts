import { workerData } from 'node:worker_threads';
import { PauseLog } from './pause-log.ts';

const SLEEP_MS = 2;
/** Waking up this late is no pause: every scheduler is a little late. */
const LATE_MS = 3;

if (!(workerData instanceof SharedArrayBuffer)) throw new Error('a pause thread needs its log');
const log = new PauseLog(workerData);
let lookedAt = now();
while (log.sleep(SLEEP_MS)) {
  const wokeAt = now();
  if (wokeAt - lookedAt > SLEEP_MS + LATE_MS) {
    log.write({ from: lookedAt + SLEEP_MS, to: wokeAt });
  }
  lookedAt = wokeAt;
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
