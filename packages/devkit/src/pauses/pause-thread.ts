import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { PauseLog } from './pause-log.ts';
import { NOTICE_SLOWNESS, Slowness } from './slowness.ts';

const SLEEP_MS = 2;
/** How late a thread may wake up before that counts as a pause. Every scheduler is a little late. */
const LATE_MS = 3;
/**
 * These steps take 0.05 to 0.1 ms. That is much longer than a step of the clock, and much shorter than the times that
 * are measured.
 */
const CALCULATION_STEPS = 20_000;

if (!(workerData instanceof SharedArrayBuffer)) throw new Error('a pause thread needs its log');
const log = new PauseLog(workerData);
const slowness = process.argv.includes(NOTICE_SLOWNESS) ? watchSlowness() : undefined;
/** The result of every calculation is stored, so that the compiler cannot leave the calculation out. */
let outcome = 1;
let lookedAt = now();
parentPort?.postMessage('looking');
while (log.sleep(SLEEP_MS)) {
  const wokeAt = now();
  if (wokeAt - lookedAt > SLEEP_MS + LATE_MS) {
    log.write({ from: lookedAt + SLEEP_MS, to: wokeAt });
  }
  lookedAt = wokeAt;
  if (slowness !== undefined) {
    calculate();
    lookedAt = now();
    const slow = slowness.notice({ from: wokeAt, to: lookedAt });
    if (slow !== undefined) log.write(slow);
  }
}

function watchSlowness(): Slowness {
  let known = interruptions();
  return new Slowness(() => {
    const before = known;
    known = interruptions();
    return known > before;
  });
}

/** How often Linux has interrupted this thread to run another one on its processor. */
function interruptions(): number {
  const status = readFileSync('/proc/thread-self/status', 'utf8');
  return Number(/^nonvoluntary_ctxt_switches:\s*(\d+)/m.exec(status)?.[1] ?? 0);
}

/** Calculates without reading memory, because the speed of memory depends on what other programs do. */
function calculate(): void {
  let value = outcome;
  for (let step = 0; step < CALCULATION_STEPS; step += 1) {
    value = (Math.imul(value, 1_664_525) + 1_013_904_223) | 0;
  }
  outcome = value;
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
