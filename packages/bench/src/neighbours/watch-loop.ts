import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import type { LoopBlock } from './loop-blocks.ts';
import { LOOP_FOLDER } from './loop-folder.ts';

/** How often the loop is looked at: a block may last this much longer than what is written of it. */
const LOOK_EVERY_MS = 5;
/** Shorter blocks are not written: every turn of a busy loop takes a few milliseconds. */
const LEAST_MS = 5;

/**
 * Loaded into every process of the stack before its own code (`--import`). A timer of the event loop that fires late
 * shows that the loop was blocked. Writes only then, so that it does not disturb what it measures.
 */
function watchLoop(file: string): void {
  let at = performance.now();
  let cpu = process.threadCpuUsage();
  setInterval(() => {
    const lateMs = performance.now() - at - LOOK_EVERY_MS;
    if (lateMs > LEAST_MS) {
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
  }, LOOK_EVERY_MS).unref();
}

const folder = process.env[LOOP_FOLDER];
if (isMainThread && folder !== undefined) watchLoop(join(folder, String(process.pid)));
