import { constants, getPriority, setPriority } from 'node:os';

/** With a nice value that is 5 higher, a thread gets a quarter of a processor that it shares with an event loop. */
const NICENESS_INCREASE = 5;

/**
 * Lowers the priority of the calling thread, which computes for one request. With few processors, the event loop of the
 * process goes first, because all other requests wait for it. Only on Linux, where each thread has its own nice value
 * (https://man7.org/linux/man-pages/man2/setpriority.2.html, "C library/kernel differences"). On other systems this
 * would slow down the whole process.
 */
export function yieldToMainThread(): void {
  if (process.platform !== 'linux') return;
  setPriority(0, Math.min(getPriority(0) + NICENESS_INCREASE, constants.priority.PRIORITY_LOW));
}
