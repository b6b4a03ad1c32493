import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { LOOP_FOLDER } from './loop-folder.ts';

/** A time during which an event loop was late. */
const LoopBlock = z.object({
  /** The last time at which the loop ran, in milliseconds since the epoch. */
  atMs: z.number(),
  lateMs: z.number(),
  /** Processor time of the loop's thread during the delay. */
  cpuMs: z.number(),
});
export type LoopBlock = z.infer<typeof LoopBlock>;

/** The environment of processes whose event loops are watched. */
export function watchedEnvironment(folder: string): Record<string, string> {
  const preload = new URL('watch-loop.ts', import.meta.url);
  return { NODE_OPTIONS: `--import=${preload.href}`, [LOOP_FOLDER]: folder };
}

/** Reads all blocks of a process so far. The file does not exist before the first block. */
export async function readBlocks(folder: string, pid: number): Promise<LoopBlock[]> {
  try {
    return parseBlocks(await readFile(join(folder, String(pid)), 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** Leaves out the last line while it is still being written. */
function parseBlocks(text: string): LoopBlock[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => LoopBlock.parse(JSON.parse(line)));
}

/**
 * How long code blocked the loop. The loop is also late while another program uses the processor. Therefore this is the
 * processor time of the loop's own thread, but not more than the delay.
 */
export function blockedMs({ lateMs, cpuMs }: LoopBlock): number {
  return Math.min(lateMs, cpuMs);
}

/** The longest of the blocks that overlap with this time span. */
export function longestBlockMs(
  blocks: readonly LoopBlock[],
  { from, to }: { readonly from: number; readonly to: number },
): number {
  return blocks
    .filter(({ atMs, lateMs }) => atMs + lateMs >= from && atMs <= to)
    .reduce((longest, block) => Math.max(longest, blockedMs(block)), 0);
}
