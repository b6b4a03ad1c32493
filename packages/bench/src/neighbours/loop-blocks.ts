import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { LOOP_FOLDER } from './loop-folder.ts';

/** A time in which an event loop did not turn. */
const LoopBlock = z.object({
  /** When the loop was last seen turning, in milliseconds since the epoch. */
  atMs: z.number(),
  lateMs: z.number(),
  /** What the loop's thread used of a processor meanwhile. */
  cpuMs: z.number(),
});
export type LoopBlock = z.infer<typeof LoopBlock>;

/** The environment of processes whose loops are watched. */
export function watchedEnvironment(folder: string): Record<string, string> {
  const preload = new URL('watch-loop.ts', import.meta.url);
  return { NODE_OPTIONS: `--import=${preload.href}`, [LOOP_FOLDER]: folder };
}

/** Every block of a process so far; none has been written before its first. */
export async function readBlocks(folder: string, pid: number): Promise<LoopBlock[]> {
  try {
    return parseBlocks(await readFile(join(folder, String(pid)), 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** A line that is being written is left for the next time. */
function parseBlocks(text: string): LoopBlock[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => LoopBlock.parse(JSON.parse(line)));
}

/**
 * How long code blocked the loop. A thread that waits for a processor which another program holds is late as well,
 * so that only what it used of one counts, and never more than it was late.
 */
export function blockedMs({ lateMs, cpuMs }: LoopBlock): number {
  return Math.min(lateMs, cpuMs);
}

/** The longest of the blocks that began within a time. */
export function longestBlockMs(
  blocks: readonly LoopBlock[],
  { from, to }: { readonly from: number; readonly to: number },
): number {
  return blocks
    .filter(({ atMs, lateMs }) => atMs + lateMs >= from && atMs <= to)
    .reduce((longest, block) => Math.max(longest, blockedMs(block)), 0);
}
