import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import type { LoopBlock } from './loop-blocks.ts';
import { LOOP_FOLDER } from './loop-folder.ts';

/** How often the loop is checked. A recorded block may be too short by this much. */
const CHECK_EVERY_MS = 5;
/** Shorter blocks are not recorded, because every turn of a busy loop takes a few milliseconds. */
const MIN_MS = 5;

/**
 * Preloaded into every process of the stack (`--import`). A late timer shows that the event loop was blocked. It writes
 * only then, so that it does not disturb what it measures.
 */
function watchLoop(file: string): void {
  let at = performance.now();
  let cpu = process.threadCpuUsage();
  setInterval(() => {
    const lateMs = performance.now() - at - CHECK_EVERY_MS;
    if (lateMs > MIN_MS) {
      const { user, system } = process.threadCpuUsage(cpu);
      const block: LoopBlock = {
        atMs: performance.timeOrigin + at,
        lateMs,
        cpuMs: (user + system) / 1_000,
      };
      appendFileSync(file, `${JSON.stringify(block)}\n`);
    }
    at = performance.now();
    cpu = process.threadCpuUsage();
  }, CHECK_EVERY_MS).unref();
}

const folder = process.env[LOOP_FOLDER];
if (isMainThread && folder !== undefined) watchLoop(join(folder, String(process.pid)));
